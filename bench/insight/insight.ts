/**
 * What it takes to group builds in the browser, beside a plain loop over the same objects; to fold
 * results of tests, beside a bare Map that counts them; and to count builds in the embedded services,
 * over a million of them; the page of 50,000 tests; the pages beside a server with 2,000,000 builds; and
 * the palette. `--part=tests`, `--part=browser`, `--part=server`, `--part=page`, `--part=huge` or
 * `--part=palette` measures one of these.
 */
import { measureInBrowser } from './browser.ts'
import { measureHuge } from './huge.ts'
import { measurePalette } from './palette.ts'
import { measureServer } from './server.ts'
import { measureTestsPage } from './tests-page.ts'
import { measureTests } from './tests.ts'

const part = process.argv.find((word) => word.startsWith('--part='))?.slice('--part='.length)
const isWanted = (name: string): boolean => part === undefined || part === name

if (isWanted('tests')) measureTests()
if (isWanted('browser') && (await measureInBrowser()) === false) process.exitCode = 1
if (isWanted('server') && !(await measureServer())) process.exitCode = 1
if (isWanted('page') && (await measureTestsPage()) === false) process.exitCode = 1
if (isWanted('huge') && (await measureHuge()) === false) process.exitCode = 1
if (isWanted('palette') && (await measurePalette()) === false) process.exitCode = 1
