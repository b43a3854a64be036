"""An outside issuer: whose tokens the host believes, and how clients find it."""
