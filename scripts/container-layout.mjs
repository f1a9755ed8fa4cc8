/**
 * Tries the container image where there is nothing that builds one: carries out the steps of the
 * Dockerfile in layers of their own over this machine (its Node stands in for the base image's), then
 * runs what comes out as a container would be run: a read-only root, one writable volume, no
 * capabilities, once as the image's user and once as any user of group 0, as OpenShift does. It must
 * become healthy, serve the feed, and end with 0 on the image's stop signal.
 *
 *   node scripts/container-layout.mjs [--built]
 *
 * `--built` takes what this checkout has built and installed in place of the stages that build and
 * install. Needs Linux, root and the right to mount; where that isn't so, it says so and ends with 0.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { DockerfileParser } from 'dockerfile-ast'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = process.argv.includes('--built')
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

if (process.env.SIGHTLINE_LAYOUT_NAMESPACE === undefined) inNamespace()
else {
  delete process.env.SIGHTLINE_LAYOUT_NAMESPACE
  const folder = mkdtempSync(join(tmpdir(), 'sightline-container-'))
  try {
    await tryContainer(buildImage(folder), folder)
  } finally {
    for (const name of readdirSync(folder)) {
      spawnSync('umount', ['--recursive', '--lazy', join(folder, name, 'root')])
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts this script again where what it mounts is seen by nobody else, and gone when it ends. */
function inNamespace() {
  const unshare = ['--mount', '--propagation', 'private']
  if (process.getuid?.() !== 0 || spawnSync('unshare', [...unshare, 'true']).status !== 0) {
    console.log('The container image is NOT tried: that needs Linux, root and the right to mount.')
    return
  }
  const again = [process.execPath, ...process.argv.slice(1)]
  const env = { ...process.env, SIGHTLINE_LAYOUT_NAMESPACE: 'yes' }
  const { status } = spawnSync('unshare', [...unshare, ...again], { stdio: 'inherit', env })
  process.exitCode = status ?? 1
}

/** Carries out the Dockerfile; the last stage, with how it is run. */
function buildImage(folder) {
  const stages = []
  for (const step of DockerfileParser.parse(
    readFileSync(join(root, 'Dockerfile'), 'utf8'),
  ).getInstructions()) {
    const keyword = step.getKeyword()
    const words = step.getArguments().map((each) => each.getValue())
    const text = step.getArgumentsContent() ?? ''
    const stage = stages.at(-1)
    if (keyword === 'FROM') stages.push(beginStage(folder, words[2] ?? 'last'))
    else if (keyword === 'ARG' || stage === undefined) continue
    else if (keyword === 'WORKDIR') {
      stage.cwd = resolve(stage.cwd, text)
      if (stage.root !== undefined) mkdirSync(join(stage.root, stage.cwd), { recursive: true })
    } else if (keyword === 'COPY') {
      const from = step
        .getFlags()
        .find((flag) => flag.getName() === 'from')
        ?.getValue()
      if (stage.root !== undefined) copy(stages, stage, from, words)
    } else if (keyword === 'RUN') {
      if (stage.root !== undefined) runStep(stage, text)
    } else if (keyword === 'ENV') {
      for (const word of words)
        stage.env[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1)
    } else if (['USER', 'STOPSIGNAL'].includes(keyword)) stage[keyword] = text
    else if (['VOLUME', 'ENTRYPOINT', 'CMD'].includes(keyword)) stage[keyword] = JSON.parse(text)
    else if (keyword === 'HEALTHCHECK') stage[keyword] = JSON.parse(text.replace(/^CMD /, ''))
    else if (keyword !== 'EXPOSE') throw new Error(`This script doesn't know ${keyword}.`)
  }
  return stages.at(-1)
}

/** A stage that this checkout stands in for has no root. */
function beginStage(folder, name) {
  const stage = { name, cwd: '/', env: {} }
  if (built && name !== 'last') return stage
  const [upper, work, merged] = ['upper', 'work', 'root'].map((each) => join(folder, name, each))
  for (const each of [upper, work, merged]) mkdirSync(each, { recursive: true })
  const layers = `lowerdir=/,upperdir=${upper},workdir=${work}`
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, merged])
  execFileSync('mount', ['-t', 'proc', 'proc', join(merged, 'proc')])
  execFileSync('mount', ['--rbind', '/dev', join(merged, 'dev')])
  return { ...stage, root: merged, upper }
}

function runStep({ root: stageRoot, cwd, env, name }, command) {
  const began = Date.now()
  const variables = Object.entries({ PATH: path, HOME: '/root', ...env }).map((pair) =>
    pair.join('='),
  )
  const shell = ['env', '-i', `--chdir=${cwd}`, ...variables, '/bin/sh', '-c', command]
  const { status, stdout, stderr } = spawnSync('chroot', [stageRoot, ...shell], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`RUN ${command}\n${stdout}${stderr}`)
  console.log(`${name}: ${command.slice(0, 60)} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
}

/** What `COPY` does: a folder's content, files by their names, from a stage or the build context. */
function copy(stages, stage, from, words) {
  const target = join(stage.root, resolve(stage.cwd, words.at(-1)))
  for (const word of words.slice(0, -1)) {
    if (from === undefined) copyContext(word, target)
    else {
      const source = stages.find(({ name }) => name === from)
      if (source.root !== undefined) copyContent(join(source.root, word), target)
      else if (basename(word) === 'node_modules') copyProductionPackages(target)
      else copyContent(join(root, relative(source.cwd, word)), target)
    }
  }
}

/** `.dockerignore` lists what the context has, each name after a `!`, and nothing else. */
function copyContext(word, target) {
  const kept = readFileSync(join(root, '.dockerignore'), 'utf8').match(/(?<=^!).+$/gm) ?? []
  const top = word.split('/')[0]
  const names = word === '.' ? kept : kept.filter((name) => name === top).map(() => word)
  if (names.length === 0) throw new Error(`COPY ${word}: .dockerignore keeps it out.`)
  mkdirSync(target, { recursive: true })
  for (const name of names) {
    execFileSync('cp', ['--archive', join(root, name), target])
  }
}

/** What `npm ci --omit=dev` installs. */
function copyProductionPackages(target) {
  const list = ['ls', '--omit=dev', '--all', '--parseable']
  const { stdout } = spawnSync('npm', list, { cwd: root, encoding: 'utf8' })
  const modules = join(root, 'node_modules')
  const scopes = new Map()
  for (const each of stdout.trim().split('\n')) {
    const name = relative(modules, each)
    if (!/^(?:@[^/]+\/)?[^/.][^/]*$/.test(name)) continue
    scopes.set(dirname(name), [...(scopes.get(dirname(name)) ?? []), each])
  }
  for (const [scope, packages] of scopes) {
    mkdirSync(join(target, scope), { recursive: true })
    execFileSync('cp', ['--archive', '--target-directory', join(target, scope), ...packages])
  }
}

function copyContent(source, target) {
  mkdirSync(target, { recursive: true })
  execFileSync('cp', ['--archive', '--no-target-directory', source, target])
}

/** Runs the image as each user, with a volume of its own. */
async function tryContainer(image, folder) {
  const [uid, gid] = image.USER.split(':').map(Number)
  const [volume] = image.VOLUME
  const { mode, uid: owner, gid: group } = statSync(join(image.root, volume))
  if (owner !== uid || group !== 0 || (mode & 0o770) !== 0o770) {
    throw new Error(`${volume} must belong to the image's user and group 0.`)
  }
  execFileSync('mount', ['-o', 'remount,ro', image.root])
  for (const user of [uid, 1_000_770_000]) {
    const data = join(folder, `volume-${user}`)
    // What an engine makes of a new volume: a copy of the folder in the image.
    copyContent(join(image.root, volume), data)
    execFileSync('chown', [`${owner}:${group}`, data])
    execFileSync('chmod', ['0770', data])
    execFileSync('mount', ['--bind', data, join(image.root, volume)])
    await tryUser(image, user, gid)
    execFileSync('umount', [join(image.root, volume)])
    console.log(`as ${user}:${gid}, read-only: healthy, serves the feed, ends with 0`)
  }
}

async function tryUser(image, uid, gid) {
  const [port, opsPort] = [await freePort(), await freePort()]
  const env = {
    PATH: path,
    ...image.env,
    // Given with `docker run --env`: the ports are this machine's, nobody signs in or balances.
    SIGHTLINE_HOST: '127.0.0.1',
    SIGHTLINE_PORT: port,
    SIGHTLINE_OPS_PORT: opsPort,
    SIGHTLINE_SHUTDOWN_DELAY: 0,
    SIGHTLINE_EMBEDDED_BUILDS: 50,
    SIGHTLINE_EMBEDDED_RATE: 20,
  }
  const within = (command) => {
    const variables = Object.entries(env).map((pair) => pair.join('='))
    const user = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs']
    const none = ['--inh-caps=-all', '--bounding-set=-all']
    const inside = ['env', '-i', `--chdir=${image.cwd}`, ...variables, ...command]
    return ['chroot', [image.root, 'setpriv', ...user, ...none, ...inside]]
  }
  const healthy = () => spawnSync(...within(image.HEALTHCHECK)).status === 0

  const token = ['token', 'create', '--name', 'ann', '--role', 'admin', '--expires', '90d']
  const made = spawnSync(...within([...image.ENTRYPOINT, ...token]), { encoding: 'utf8' })
  if (!made.stdout.includes('slt_')) throw new Error(`The command line: ${made.stderr}`)
  if (spawnSync(...within(['touch', '/app/written'])).status === 0) {
    throw new Error('The root file system can be written to.')
  }

  if (healthy()) throw new Error('It is healthy before it runs.')
  const server = spawn(...within([...image.ENTRYPOINT, ...image.CMD]), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(server, 'exit')
  const started = createInterface({ input: server.stdout })
  await Promise.race([
    once(started, 'line'),
    exited.then(() => Promise.reject(new Error('It ended before it ran.'))),
  ])
  if (!healthy()) throw new Error('It is not healthy.')
  await expectFeed(`http://127.0.0.1:${port}`)
  server.kill(image.STOPSIGNAL)
  const [code] = await exited
  if (code !== 0) throw new Error(`It ended with ${code} on ${image.STOPSIGNAL}.`)
  if (healthy()) throw new Error('It is healthy after its end.')
}

/** The page of the feed, and the first build on its stream. */
async function expectFeed(url) {
  const page = await fetch(url)
  if (!(await page.text()).includes('<div id="root">')) throw new Error('The page is not there.')
  const { token } = await (await fetch(`${url}/session`, { method: 'POST' })).json()
  const headers = { authorization: `Bearer ${token}` }
  const feed = await fetch(`${url}/live/builds?since=0`, { headers })
  let text = ''
  for await (const bytes of feed.body) {
    text += Buffer.from(bytes).toString('latin1')
    if (text.includes('event: Build')) return
  }
  throw new Error('The feed ended without a build.')
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  await once(probe, 'close')
  return port
}
