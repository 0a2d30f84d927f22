"""The user's cache folder, which both backends use: `folder` finds it, `entries` changes it."""
