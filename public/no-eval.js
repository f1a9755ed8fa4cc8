// Before all else: the content security policy allows no code made from texts, and zod would try it.
globalThis.__zod_globalConfig = { jitless: true }
