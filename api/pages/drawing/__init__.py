"""The packs of cards, drawn by us: shapes in SVG, nothing copied and nothing loaded."""
