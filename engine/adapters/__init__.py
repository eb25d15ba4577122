"""The games as environments of other projects' libraries; optional extras, which nothing of ours imports."""
