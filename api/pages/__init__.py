"""The web pages: rendered on the server, readable without JavaScript, nothing loaded from elsewhere."""
