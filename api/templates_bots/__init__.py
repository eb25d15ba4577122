"""What `fudaba bot new` writes: a folder for each kind of bot, copied as it stands."""
