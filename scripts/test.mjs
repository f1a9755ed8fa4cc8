/**
 * Runs everything that CI runs, step by step, and stops at the first that fails:
 * `node scripts/test.mjs [check]`; `check` leaves out the end-to-end tests.
 */
import { spawnSync } from 'node:child_process'
import { findChromium } from './chromium.mjs'

const steps = [
  ['formatting', 'npx', ['prettier', '--check', '--log-level', 'warn', '.']],
  ['types', 'npx', ['tsc', '-p', '.']],
  ['lint', 'npx', ['eslint', '--max-warnings', '0', '.']],
  [
    'import table',
    'npx',
    ['depcruise', 'src', '--config', '.dependency-cruiser.mjs', '--output-type', 'err'],
  ],
  ['dead code', 'npx', ['knip']],
  ['unit tests', 'npx', ['vitest', 'run']],
  ['unit tests on Node 24', 'node', ['scripts/unit-tests-on-node-24.mjs']],
  ['build', 'node', ['scripts/build.mjs']],
  ['sizes', 'npx', ['size-limit']],
]

const withoutBrowser = process.argv.includes('check')
if (!withoutBrowser) steps.push(['end-to-end tests', 'npx', ['playwright', 'test']])

for (const [name, command, args] of steps) {
  const started = Date.now()
  console.log(`\n── ${name}`)
  const env = { ...process.env }
  if (command === 'npx' && args[0] === 'playwright') {
    env.CHROMIUM_PATH = await findChromium(console.log)
  }
  const { status } = spawnSync(command, args, { stdio: 'inherit', env })
  if (status !== 0) {
    console.error(`\n── ${name} failed`)
    process.exit(status ?? 1)
  }
  console.log(`── ${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`)
}
console.log('\nEverything passed.')
