/**
 * Starts the product: builds what is missing, then runs the server with the same flags.
 * `node scripts/start.mjs [embedded] [--port 8080 …]`; --help lists the settings.
 */
import { buildIfNeeded } from './build.mjs'

try {
  await buildIfNeeded((line) => console.error(line))
} catch (error) {
  console.error(`Sightline cannot be built. ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
await import('../dist/server/main.js')
