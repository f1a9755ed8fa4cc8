/**
 * Finds a Chromium for the end-to-end tests, or installs one: CHROMIUM_PATH, then an installed
 * chromium or chrome, then Playwright's download, then apt when root. Prints the path.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The same engine without a window needs a quarter less of the processor: it comes first. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
]
const macOS = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

/** The path of a Chromium that can be run; throws a plain sentence where none can be had. */
export async function findChromium(say = () => {}) {
  const found = configured() ?? installed() ?? (await downloaded(say)) ?? fromApt(say)
  if (found !== undefined) return found
  throw new Error(
    'No Chromium was found and none could be installed. Install Chromium or Chrome, or set CHROMIUM_PATH to one.',
  )
}

function configured() {
  const path = process.env.CHROMIUM_PATH
  if (!path) return undefined
  if (isExecutable(path)) return path
  throw new Error(`CHROMIUM_PATH is "${path}", which cannot be run.`)
}

function installed() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...candidates, macOS].find(isExecutable)
}

async function downloaded(say) {
  const { chromium } = await import('@playwright/test')
  if (isExecutable(chromium.executablePath())) return chromium.executablePath()
  say('Looking for a Chromium that Playwright can download…')
  const cli = fileURLToPath(new URL('../node_modules/@playwright/test/cli.js', import.meta.url))
  spawnSync(process.execPath, [cli, 'install', 'chromium'], { stdio: 'ignore', timeout: 300_000 })
  return isExecutable(chromium.executablePath()) ? chromium.executablePath() : undefined
}

function fromApt(say) {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).error) return undefined
  say('Installing chromium with apt-get…')
  try {
    execFileSync('apt-get', ['update'], { stdio: 'ignore' })
    execFileSync('apt-get', ['install', '-y', 'chromium'], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  } catch {
    return undefined
  }
  return installed()
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(await findChromium((line) => console.error(line)))
}
