#!/usr/bin/env node
/**
 * The command line tool, `npx sightline --help`: built where it is missing or older than its sources,
 * quietly, as standard output is for the report alone.
 */
import { buildCliIfNeeded } from './build.mjs'

try {
  await buildCliIfNeeded()
} catch (error) {
  console.error(`Sightline cannot be built. ${error instanceof Error ? error.message : error}`)
  process.exit(3)
}
await import('../dist/cli/main.js')
