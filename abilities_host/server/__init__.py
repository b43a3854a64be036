"""Servers: abilities as any MCP client sees them."""
