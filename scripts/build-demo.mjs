/**
 * Builds the demo that any static host serves, into dist/demo: `npm run build:demo`. Prints how large
 * it is (docs/demo.md).
 */
import { createHash } from 'node:crypto'
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'dist/demo')
/** All of it, bytes of gzip. */
const limit = 2_000_000

await rm(folder, { recursive: true, force: true })
for (const mode of ['demo', 'demo-worker', 'demo-start']) {
  await build({ configFile: join(root, 'vite.config.ts'), mode, logLevel: 'error' })
}
await copyFile(
  join(root, 'node_modules/@sqlite.org/sqlite-wasm/sqlite-wasm/jswasm/sqlite3.wasm'),
  join(folder, 'sqlite3.wasm'),
)
// Walls have a worker of their own where a proxy serves them; here one worker serves all pages.
await rm(join(folder, 'wall-worker.js'))

const page = await take('index.html')
const worker = await take('worker.js')
const start = await take('start.js')
const files = await names()
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const hash = createHash('sha256').update(page).update(worker)
for (const file of files) hash.update(file).update(await readFile(join(folder, file)))
const name = hash.digest('hex').slice(0, 12)

const demo = { page, files, build: name, version }
const script = `const sightlineDemo = ${JSON.stringify(demo)};\n${worker}`
runInContext(script, createContext(serviceWorkerGlobals()))
await write('worker.js', script)
const template = await readFile(join(root, 'src/demo/start.html'), 'utf8')
// As a function: a text would have its dollar signs replaced.
const first = template.replace('__START__', () => start.replaceAll('</', '<\\/'))
await write('index.html', first)
await write('404.html', first)
await write('sightline-demo.json', JSON.stringify({ sightlineDemo: version, build: name }))
// GitHub Pages would leave out what begins with an underscore.
await write('.nojekyll', '')

let total = 0
const rows = []
for (const file of await names()) {
  const bytes = await readFile(join(folder, file))
  const zipped = gzipSync(bytes, { level: 9 }).length
  total += zipped
  rows.push([file, bytes.length, zipped])
}
rows.sort((a, b) => b[2] - a[2])
for (const [file, bytes, zipped] of rows.slice(0, 12)) {
  console.log(`${file.padEnd(40)} ${kB(bytes)} ${kB(zipped)} gzip`)
}
console.log(
  `${`${rows.length} files in dist/demo`.padEnd(40)} ${kB(0 + sum(rows))} ${kB(total)} gzip`,
)
if (total > limit) {
  console.error(`The demo must stay below ${kB(limit).trim()} of gzip.`)
  process.exitCode = 1
}

/**
 * What a service worker has while its script is loaded, and nothing of Node: a script that throws then
 * registers in no browser.
 */
function serviceWorkerGlobals() {
  const ofNode = ['Buffer', 'process', 'global', 'setImmediate', 'clearImmediate']
  const own = new Set([
    ...ofNode,
    ...runInContext('Object.getOwnPropertyNames(globalThis)', createContext()),
  ])
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => !own.has(name))
  const web = Object.fromEntries(names.map((name) => [name, globalThis[name]]))
  const location = new URL('https://demo.invalid/worker.js')
  const self = { addEventListener() {}, location, registration: { scope: location.origin } }
  /** One of Node would keep this process. */
  class MessageChannel {
    port1 = {}
    port2 = { postMessage() {} }
  }
  return { ...web, ...self, self, MessageChannel }
}

/** The text of a file that is written elsewhere. */
async function take(file) {
  const text = await readFile(join(folder, file), 'utf8')
  await rm(join(folder, file))
  return text
}

function write(file, text) {
  return writeFile(join(folder, file), text)
}

/** All files, below folders too, in order. */
async function names() {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

function sum(rows) {
  return rows.reduce((all, [, bytes]) => all + bytes, 0)
}

function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`.padStart(10)
}
