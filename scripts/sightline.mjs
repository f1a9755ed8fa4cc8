#!/usr/bin/env node
/**
 * The command `sightline`. Without a command, and with `start` or `embedded`, it runs the product with
 * the flags that follow; everything else is the command line tool, `sightline --help`. A checkout is
 * built first where that is missing or older than its sources, quietly, as standard output is for
 * reports; the package brings what was built.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [command, ...rest] = process.argv.slice(2)
const isFlag = command?.startsWith('--') === true && !['--help', '--version'].includes(command)
const isProduct = command === undefined || isFlag || ['start', 'embedded'].includes(command)

if (existsSync(fileURLToPath(new URL('../src', import.meta.url)))) {
  const { buildCliIfNeeded, buildIfNeeded } = await import('./build.mjs')
  try {
    await (isProduct ? buildIfNeeded((line) => console.error(line)) : buildCliIfNeeded())
  } catch (error) {
    console.error(`Sightline cannot be built. ${error instanceof Error ? error.message : error}`)
    process.exit(isProduct ? 1 : 3)
  }
}
if (['--help', '-h', 'help'].includes(command) && rest.length === 0) {
  console.log(`Starts the dashboard, or does one of the commands below.

  sightline [start] [flags]    the dashboard; sightline start --help lists its settings
  sightline --check            checks servers, database and configuration, and exits
  sightline embedded [flags]   the embedded services alone
`)
}
if (command === 'start') process.argv = [...process.argv.slice(0, 2), ...rest]
await import(isProduct ? '../dist/server/main.js' : '../dist/cli/main.js')
