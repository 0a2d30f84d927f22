"""The site of the documentation: its pages, the rewriting of their links, and a check of the built pages."""
