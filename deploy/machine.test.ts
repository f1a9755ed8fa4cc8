import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { accessTable } from '../src/server/proxy/access.ts'
import { longestEnd, startMistakes, textOf } from './settings.test-support.ts'

const hasSystemd = isThere('systemd-analyze', '--version')
const hasNginx = isThere('nginx', '-v')

function isThere(program: string, flag: string): boolean {
  const runs = spawnSync(program, [flag]).status === 0
  if (!runs) process.stderr.write(`No ${program} here: what is made for it is NOT checked by it.\n`)
  return runs
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sightline-deploy-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
  })
  return folder
}

describe('the systemd unit', () => {
  const unit = textOf('deploy/systemd/sightline.service')
  const valuesOf = (key: string): string[] =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)

  test('starts Sightline with settings that exist, and with secrets that it is handed', () => {
    const environment: Record<string, string> = { SIGHTLINE_BUILD_DATA_URL: 'https://b.example' }
    for (const line of valuesOf('Environment')) {
      const [name = '', value = ''] = line.split(/=(.*)/s)
      environment[name] = value
    }
    expect(startMistakes(environment)).toEqual([])
    const secrets = Object.values(environment).filter((value) => value.startsWith('%d/'))
    expect(valuesOf('LoadCredential').map((line) => `%d/${line.split(':')[0]}`)).toEqual(secrets)
  })

  test('writes to one folder, and has more time to end than draining takes', () => {
    expect(valuesOf('ProtectSystem')).toEqual(['strict'])
    expect(valuesOf('StateDirectory')).toEqual(['sightline'])
    expect(valuesOf('ReadWritePaths')).toEqual([])
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(5 + longestEnd())
  })

  test.skipIf(!hasSystemd)('systemd knows every line of it, and calls it well protected', () => {
    const path = join(temporaryFolder(), 'sightline.service')
    // What it starts need not be installed here.
    writeFileSync(path, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
    expect(verified.stderr).not.toContain('sightline.service')
    expect(verified.status).toBe(0)
    const rated = ['security', '--offline=yes', '--threshold=20', '--no-pager', path]
    expect(spawnSync('systemd-analyze', rated).status).toBe(0)
  })
})

describe('the systemd unit of a wall screen', () => {
  const unit = textOf('deploy/systemd/sightline-kiosk.service')

  test('keeps what the browser keeps, and comes back by itself', () => {
    expect(unit).toMatch(/^StateDirectory=sightline-kiosk$/m)
    expect(unit).toContain('--user-data-dir=/var/lib/sightline-kiosk/')
    expect(unit).not.toMatch(/--(?:incognito|guest|disable-web-security|no-sandbox)/)
    expect(unit).toMatch(/^Restart=always$/m)
    expect(unit).not.toContain('network-online.target')
  })

  test.skipIf(!hasSystemd)('systemd knows every line of it', () => {
    const path = join(temporaryFolder(), 'sightline-kiosk.service')
    writeFileSync(path, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
    expect(verified.stderr).not.toContain('sightline-kiosk.service')
    expect(verified.status).toBe(0)
  })
})

describe('the configuration of nginx', () => {
  const locations = textOf('deploy/nginx/sightline-locations.conf')

  test('names paths that Sightline has, and buffers none that stream', () => {
    const blocks = [...locations.matchAll(/^location (\S+) \{([^}]*)\}/gm)]
    const streams = blocks.filter(([, path]) => path !== '/' && path !== '/assets/')
    expect(streams.map(([, path]) => path)).toEqual(['/live/', '/upstream/'])
    for (const [, path = '', block] of streams) {
      expect(accessTable.some((row) => row.path.startsWith(path))).toBe(true)
      expect(block).toContain('proxy_buffering off;')
    }
  })

  test.skipIf(!hasNginx)('nginx takes the site with TLS', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'tls'))
    const files = [
      '-keyout',
      join(folder, 'tls/sightline.key'),
      '-out',
      join(folder, 'tls/sightline.crt'),
    ]
    const made = 'req -x509 -newkey rsa:2048 -nodes -subj /CN=sightline.example.com -days 2'
    execFileSync('openssl', [...made.split(' '), ...files], { stdio: 'ignore' })
    const site = textOf('deploy/nginx/sightline.conf').replace(/^ *listen \[::\].*$/gm, '')
    const main = configured(
      folder,
      site.replace(/listen (80|443)/g, `listen unix:${folder}/$1.sock`),
    )
    const checked = spawnSync('nginx', ['-t', '-p', folder, '-c', main], { encoding: 'utf8' })
    expect(checked.stderr).not.toMatch(/\[(?:emerg|warn)\]/)
    expect(checked.status).toBe(0)
  })

  test.skipIf(!hasNginx)(
    'streams pass as they come, and a Sightline that is down is passed over',
    async () => {
      const folder = temporaryFolder()
      const streams: ServerResponse[] = []
      const server = createServer((asked, response) => {
        const { host, 'x-forwarded-for': from } = asked.headers
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`data: ${asked.httpVersion} ${host} ${String(from)}\n\n`)
        streams.push(response)
      })
      await listening(server, join(folder, 'up.sock'))
      const socket = await startNginx(folder, ['down.sock', 'up.sock'])

      const answer = await get(socket, '/live/builds')
      const first: unknown[] = await once(answer, 'data')
      expect(String(first[0])).toBe('data: 1.1 sightline.example.com 192.0.2.7, unix:\n\n')
      streams[0]?.end()
      await once(answer, 'end')
    },
  )

  test.skipIf(!hasNginx)(
    'what one release lacks of the scripts of another, the other process is asked for',
    async () => {
      const folder = temporaryFolder()
      const asked: string[] = []
      for (const name of ['old', 'new']) {
        const server = createServer(({ url = '' }, response) => {
          asked.push(`${name} ${url}`)
          response.writeHead(url === `/assets/${name}.js` ? 200 : 404).end()
        })
        await listening(server, join(folder, `${name}.sock`))
      }
      const socket = await startNginx(folder, ['old.sock', 'new.sock'])
      const statusOf = async (path: string): Promise<number | undefined> => {
        const answer = await get(socket, path)
        answer.resume()
        return answer.statusCode
      }
      for (const name of ['old', 'new', 'old', 'new']) {
        expect(await statusOf(`/assets/${name}.js`)).toBe(200)
      }
      expect(await statusOf('/assets/none.js')).toBe(404)
      expect(asked.filter((one) => one.endsWith('/none.js'))).toHaveLength(2)
      expect(await statusOf('/packages/none')).toBe(404)
      expect(asked.filter((one) => one.endsWith('/packages/none'))).toHaveLength(1)
    },
  )
})

async function listening(server: Server, socket: string): Promise<void> {
  server.listen(socket)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
}

/** Starts nginx before two Sightlines, which listen on these sockets of a folder; the path of its own socket. */
async function startNginx(
  folder: string,
  [first, second]: readonly [string, string],
): Promise<string> {
  const socket = join(folder, 'nginx.sock')
  const site = textOf('deploy/nginx/compose.conf')
    .replace('listen 8080', `listen unix:${socket}`)
    .replace('sightline-1:8080', `unix:${join(folder, first)}`)
    .replace('sightline-2:8080', `unix:${join(folder, second)}`)
  const nginx = spawn('nginx', ['-p', folder, '-c', configured(folder, site)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(async () => {
    nginx.kill('SIGTERM')
    if (nginx.exitCode === null) await once(nginx, 'exit')
  })
  // With `notice` it says when its workers run.
  for await (const line of nginx.stderr) if (String(line).includes('start worker process')) break
  return socket
}

/** Writes a site into a folder as nginx is to find it; the path of the configuration around it. */
function configured(folder: string, site: string): string {
  const own = (text: string): string => text.replaceAll('/etc/nginx/', `${folder}/`)
  writeFileSync(join(folder, 'site.conf'), own(site))
  writeFileSync(
    join(folder, 'sightline-locations.conf'),
    textOf('deploy/nginx/sightline-locations.conf'),
  )
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const main = join(folder, 'nginx.conf')
  // Its workers are to reach sockets in a folder of ours.
  const user = userInfo().uid === 0 ? 'user root root;' : ''
  writeFileSync(
    main,
    `${user} daemon off; pid ${folder}/pid; error_log stderr notice; worker_processes 1; events {}
    http { access_log off; ${temporary.join(' ')} include ${folder}/site.conf; }`,
  )
  return main
}

function get(socketPath: string, path: string): Promise<IncomingMessage> {
  const headers = { host: 'sightline.example.com', 'x-forwarded-for': '192.0.2.7' }
  return new Promise((resolve, reject) => {
    request({ socketPath, path, headers }, resolve).once('error', reject).end()
  })
}
