import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** nginx as a reverse proxy with one worker, which has one core as Sightline does. */
export async function startNginx(
  upstreamPort: number,
  authorization: string,
): Promise<{ port: number; pid: number; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'sightline-bench-nginx-'))
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; worker_processes 1; pid ${folder}/pid; error_log stderr notice;
    events { worker_connections 1024; }
    http {
      access_log off; keepalive_requests 1000000; tcp_nodelay on;
      ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
      upstream build_server { server 127.0.0.1:${upstreamPort}; keepalive 64; keepalive_requests 1000000; }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://build_server/;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_set_header Authorization "${authorization}";
          proxy_buffering off;
        }
      }
    }`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of child.stderr) {
    if (/using the|start/.test(String(line))) break
  }
  child.stderr.resume()
  return {
    port,
    pid: child.pid ?? 0,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          rmSync(folder, { recursive: true })
          resolve()
        })
        child.kill('SIGTERM')
      }),
  }
}

/** The most memory that a process has had, MB (Linux only). */
export function memoryHighWater(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? NaN) / 1024
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      probe.close(() => {
        resolve(port)
      })
    })
  })
}
