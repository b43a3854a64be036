"""JSON Schema as the host uses it: checked, read, shown, made strict, validated."""
