/**
 * Runs what CI runs: `node scripts/test.mjs [check | deep]`. `check` leaves out the end-to-end
 * tests; `deep` runs the unit tests alone, with all runs of their properties, and again on Node 24,
 * and carries out the Dockerfile.
 */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findChromium } from './chromium.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const caches = 'node_modules/.cache'
const mode = process.argv[2]
const began = Date.now()
mkdirSync(join(root, caches), { recursive: true })

/** Names and commands, those that take longest first, as the others fit beside them. */
const quick = [
  // ESLint's cache knows files one by one; types that changed elsewhere are seen where it is empty, in CI.
  [
    'lint',
    `eslint --max-warnings 0 --cache --cache-strategy content --cache-location ${caches}/eslint/ .`,
  ],
  ['types', `tsc -p . --incremental --tsBuildInfoFile ${caches}/tsc.json`],
  ['formatting', 'prettier --check --log-level warn --cache .'],
  ['build and first load', 'node scripts/build.mjs && node scripts/first-load.mjs'],
  ['import table', 'depcruise src --config .dependency-cruiser.mjs --output-type err'],
  ['dead code', 'knip'],
  ['unit tests', 'vitest run'],
]

if (mode === 'deep') {
  await inTurn('unit tests', 'vitest run', { FC_RUNS: process.env.FC_RUNS ?? '1' })
  await inTurn('unit tests on Node 24', 'node scripts/unit-tests-on-node-24.mjs')
  await inTurn('container image', 'node scripts/container-layout.mjs')
} else {
  await sideBySide(quick)
  if (mode !== 'check') {
    await inTurn('end-to-end tests', 'playwright test', {
      CHROMIUM_PATH: await findChromium(console.log),
    })
  }
}
console.log(`\nEverything passed in ${since(began)}.`)

/** Runs as many commands at a time as there are cores, prints each one's output when it ends. */
async function sideBySide(steps) {
  const left = [...steps]
  const failed = []
  const work = async () => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      const [name, command] = step
      const started = Date.now()
      const { status, output } = await run(command, 'pipe')
      console.log(`\n── ${name}: ${status === 0 ? '' : 'FAILED after '}${since(started)}`)
      if (output !== '') console.log(output)
      if (status !== 0) failed.push(name)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  if (failed.length > 0) fail(failed.join(', '))
}

/** Runs one command alone, its output as it comes. */
async function inTurn(name, command, env = {}) {
  console.log(`\n── ${name}`)
  const started = Date.now()
  const { status } = await run(command, 'inherit', env)
  if (status !== 0) fail(name)
  console.log(`── ${name}: ${since(started)}`)
}

function run(command, stdio, env = {}) {
  const child = spawn(command, {
    cwd: root,
    shell: true,
    stdio: ['inherit', stdio, stdio],
    env: {
      ...(stdio === 'pipe' && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      ...process.env,
      PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
      ...env,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => (output += text))
  }
  return new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, output: output.trim() }))
  })
}

function since(started) {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`
}

function fail(names) {
  console.error(`\nFailed after ${since(began)}: ${names}.`)
  process.exit(1)
}
