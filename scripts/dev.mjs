/**
 * Development: the client by Vite's dev server with hot reload, the server rebuilt and started anew
 * at each change. Both sides of `npm start` at one address: http://127.0.0.1:5173.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build, createServer } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const serverPort = '8081'
let server

function restart() {
  const before = server
  const start = () => {
    server = spawn(process.execPath, ['dist/server/main.js', ...process.argv.slice(2)], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, SIGHTLINE_PORT: serverPort },
    })
  }
  if (before === undefined || before.exitCode !== null) return start()
  before.once('exit', start)
  before.kill()
}

const watcher = await build({
  configFile: `${root}vite.config.ts`,
  mode: 'server',
  logLevel: 'warn',
  build: { watch: {} },
})
watcher.on('event', ({ code }) => {
  if (code === 'END') restart()
})

const client = await createServer({ configFile: `${root}vite.config.ts` })
await client.listen()
client.printUrls()

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    server?.kill()
    await Promise.all([watcher.close(), client.close()])
    process.exit(0)
  })
}
