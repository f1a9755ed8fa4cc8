/**
 * Runs what CI runs: `node scripts/test.mjs [check | deep]`. The unit tests come first, then the
 * end-to-end tests, and all that reads the source only beside them, in the time in which they wait.
 * `check` leaves out the end-to-end tests; `deep` runs the unit tests alone, with all runs of their
 * properties, and again on Node 24, measures their coverage, fuzzes every parser, carries out the
 * Dockerfile, runs the stories of the static demo, all others on a development build, where React warns,
 * runs Lighthouse, and changes the code to see whether the tests notice (docs/proof.md).
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findChromium } from './chromium.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const mode = process.argv[2]
const began = Date.now()
/** The names of the commands that failed. */
const failed = []
const scratch = scratchInMemory()

/** Names and commands, those that take longest first, as the others fit beside them. */
const reading = [
  ['lint and types', 'oxlint .'],
  ['import table', 'depcruise src --config .dependency-cruiser.mjs --output-type err'],
  ['dead code', 'knip'],
  ['static demo', 'node scripts/build-demo.mjs'],
  ['formatting', 'oxfmt --check'],
]
const running = [
  ['build and first load', 'node scripts/build.mjs && node scripts/first-load.mjs'],
  ['unit tests', 'vitest run'],
]

if (mode === 'deep') {
  await inTurn('unit tests, and their coverage of the foundations', 'vitest run --coverage', {
    FC_RUNS: process.env.FC_RUNS ?? '1',
  })
  await inTurn('fuzzing', 'vitest run src/fuzz-foundations.test.ts src/fuzz-edges.test.ts', {
    FUZZ_SECONDS: process.env.FUZZ_SECONDS ?? '60',
  })
  await inTurn('unit tests on Node 24', 'node scripts/unit-tests-on-node-24.mjs')
  await inTurn('packages', 'node scripts/packages-check.mjs')
  await inTurn('container image', 'node scripts/container-layout.mjs')
  await inTurn('static demo', 'node scripts/build-demo.mjs')
  await inTurn('build', 'node scripts/build.mjs --if-needed')
  await inTurn('stories of the static demo and of modes', 'playwright test', {
    DEEP: '1',
    CHROMIUM_PATH: await findChromium(console.log),
  })
  const NODE_ENV = 'development'
  await inTurn('development build', 'node scripts/build.mjs', { NODE_ENV })
  await inTurn('stories on the development build', 'playwright test', {
    NODE_ENV,
    CHROMIUM_PATH: await findChromium(console.log),
  })
  await inTurn('build', 'node scripts/build.mjs')
  await inTurn('Lighthouse', 'node scripts/lighthouse.mjs')
  // A sample, as the whole takes most of a day (npm run mutation).
  await inTurn('mutation tests', 'node scripts/mutation.mjs --sample=30')
} else if (mode === 'check') {
  await sideBySide([...reading, ...running])
} else {
  await Promise.all([runInOrder(), sideBySide(reading, { places: 1, isPatient: true })])
}
stopIfFailed()
console.log(`\nEverything passed in ${since(began)}.`)

/** The end-to-end tests run what was built, and only where the unit tests passed. */
async function runInOrder() {
  await sideBySide(running)
  if (running.some(([name]) => failed.includes(name))) return
  const CHROMIUM_PATH = await findChromium(console.log)
  await inTurn('end-to-end tests', 'playwright test', { CHROMIUM_PATH })
}

/**
 * Runs as many commands at a time as there are `places`, prints each one's output when it ends. Patient
 * ones take what time of the processor others leave.
 */
async function sideBySide(steps, { places = availableParallelism(), isPatient = false } = {}) {
  const left = [...steps]
  const work = async () => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      const [name, command] = step
      const started = Date.now()
      // By a command, as a priority that is set from here may come after the shell has begun it.
      const nice = isPatient && process.platform !== 'win32' ? 'nice -n 19 ' : ''
      const { status, output } = await run(nice + command, 'pipe')
      console.log(`\n── ${name}: ${status === 0 ? '' : 'FAILED after '}${since(started)}`)
      if (output !== '') console.log(output)
      if (status !== 0) failed.push(name)
    }
  }
  await Promise.all(Array.from({ length: places }, work))
}

/** Runs one command, its output as it comes. */
async function inTurn(name, command, env = {}) {
  console.log(`\n── ${name}`)
  const started = Date.now()
  const { status } = await run(command, 'inherit', env)
  if (status !== 0) failed.push(name)
  console.log(`── ${name}: ${status === 0 ? '' : 'FAILED after '}${since(started)}`)
}

function run(command, stdio, env = {}) {
  const child = spawn(command, {
    cwd: root,
    shell: true,
    stdio: ['inherit', stdio, stdio],
    env: {
      ...(stdio === 'pipe' && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      ...process.env,
      ...(scratch === undefined ? {} : { TMPDIR: scratch }),
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

/**
 * A folder for databases and profiles in memory, as hundreds of them wait for a disk otherwise;
 * undefined where there is no room for them.
 */
function scratchInMemory() {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize < 4 * 1024 ** 3) return undefined
    const folder = mkdtempSync(join(memory, 'sightline-test-'))
    // PostgreSQL runs as a user of its own, and has its folder in here.
    chmodSync(folder, 0o711)
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    return folder
  } catch {
    return undefined
  }
}

function since(started) {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`
}

function stopIfFailed() {
  if (failed.length === 0) return
  console.error(`\nFailed after ${since(began)}: ${failed.join(', ')}.`)
  process.exit(1)
}
