import { type Document, isMap, isNode, isPair, isScalar, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { requirementMistake } from '../../policy/severity.ts'
import type { SharedConfig } from '../../protocol/proxy-config.ts'
import { wallNamePattern } from '../../protocol/wall.ts'
import { reasonOf } from '../../protocol/parsed-text.ts'
import { nearest } from '../../search/check/nearest.ts'
import { type AlertRules, webhookMistake } from './alerts/alert-tile.ts'
import { ConfigFile, keysAt, type WebhookEntry } from './config-file-schema.ts'
import type { HistorySettings } from './history/history.ts'
import { type ConfiguredUser, type SignInRules, urlMistake } from './sign-in/sign-in-schema.ts'

/** What the configuration file says, or every mistake in it: a plain sentence each, with its line. */
export type ReadConfigFile =
  | {
      readonly ok: true
      readonly shared: SharedConfig
      readonly history: HistorySettings
      /** Undefined: nobody is told of anything. */
      readonly alerts?: AlertRules
      /** Where boards post their decisions and changes. */
      readonly boardWebhooks: readonly NamedWebhook[]
      /** Where routes of alerts post. */
      readonly routeWebhooks: readonly NamedWebhook[]
      readonly users: readonly ConfiguredUser[]
      readonly signIn: SignInRules
    }
  | { readonly ok: false; readonly mistakes: readonly string[] }

/** Where a board or a route, by its name, posts; the address is a secret. */
export interface NamedWebhook {
  readonly name: string
  readonly reveal: () => string
}

/**
 * Reads the text of the configuration file, YAML: `savedQueries`, a list of `{name, query,
 * description?}` with names of their own and queries without errors, `trustedKeys`, public keys by
 * name, `sigstore: {trustedRoot, identities}`, `packages`, a list of `{purl, sha256, repositoryUrl,
 * scans?, owner?}`, `boards`, of `{name, title?,
 * packages, scans, require?, webhook?}`, `walls`, of `{name, title?, tiles, order?, group?}`, `defaultBranches`, branches by
 * project, `tests: {owners}`, owners by prefix, `history: {keepDays, keepPerScan}`, `waivers: {longestDays, approval?, remindDays?}` and `alerts: {walls?, everyProject?, redFor?, recovered?,
 * webhookHosts?, emailFrom?, routes?, dashboard?}`, and who may sign in (sign-in-schema.ts). An empty file says nothing. `path` is how mistakes name the file;
 * `readBeside` reads the file of a path that the text names, and throws; `environment` has the variables
 * that it names.
 */
export function readConfigFile(
  path: string,
  text: string,
  readBeside: (path: string) => string = noFile,
  environment: Readonly<Record<string, string | undefined>> = {},
): ReadConfigFile {
  const yaml = readYaml(text)
  const told = (line: number, sentence: string): string => `${path} line ${line}: ${sentence}`
  if (yaml.mistakes.length > 0) {
    return { ok: false, mistakes: yaml.mistakes.map(({ line, message }) => told(line, message)) }
  }
  const content = yaml.value ?? {}
  const decoded = ConfigFile.safeParse(content)
  const issues = [
    ...(decoded.error?.issues ?? []).flatMap(issueOf),
    ...repeatedNames(content),
    ...unwatchableWalls(content),
  ]
  if (!decoded.success || issues.length > 0) {
    return { ok: false, mistakes: inOrder(yaml, issues).map(({ line, text }) => told(line, text)) }
  }
  const { history, waivers, alerts, sigstore, users, signIn, boards, ...shared } = decoded.data
  const readAddress = (entry: WebhookEntry): ReadText => {
    const url = webhookText(entry, readBeside, environment)
    const mistake = url.mistake ?? addressMistake(url.text, alerts?.webhookHosts ?? [])
    return mistake === undefined ? { text: url.text ?? '' } : { mistake }
  }
  const ofBoards = readWebhooks(['boards'], boards, readAddress)
  const ofRoutes = readWebhooks(['alerts', 'routes'], alerts?.routes ?? [], readAddress)
  const unreadable = [...ofBoards.issues, ...ofRoutes.issues]
  if (unreadable.length > 0) {
    return {
      ok: false,
      mistakes: inOrder(yaml, unreadable).map(({ line, text: where }) => told(line, where)),
    }
  }
  const root = sigstore && trustedRootOf(sigstore.trustedRoot, readBeside)
  if (root?.mistake !== undefined) {
    const issue = { path: ['sigstore', 'trustedRoot'], rest: root.mistake }
    return {
      ok: false,
      mistakes: inOrder(yaml, [issue]).map(({ line, text: where }) => told(line, where)),
    }
  }
  return {
    ok: true,
    shared: {
      ...shared,
      boards: boards.map(({ webhook: _secret, ...board }) => board),
      ...(sigstore && root && { sigstore: { ...sigstore, trustedRoot: root.value } }),
    },
    history: {
      ...history,
      longestWaiverDays: waivers.longestDays,
      remindDays: waivers.remindDays,
      ...(waivers.approval === 'none' ? {} : { approval: waivers.approval }),
    },
    ...(alerts === undefined
      ? {}
      : {
          alerts: {
            ...alerts,
            walls: wallNames(alerts.walls),
            routes: alerts.routes.map(
              ({ webhook: _secret, quietHours: quiet, walls, ...route }) => ({
                ...route,
                ...(walls === undefined ? {} : { walls: wallNames(walls) }),
                quiet,
              }),
            ),
          },
        }),
    boardWebhooks: ofBoards.found,
    routeWebhooks: ofRoutes.found,
    users,
    signIn,
  }
}

/** What boards leave out by what is likely a slip, a sentence each: policies that they require, and scans of their packages. */
export function boardWarnings(boards: SharedConfig['boards']): readonly string[] {
  return boards.flatMap(({ name, require, packages, scans }) => [
    ...require.flatMap((one) => {
      const mistake = requirementMistake(one)
      return mistake === undefined ? [] : [`The board ${name} requires ${mistake}`]
    }),
    ...packages.flatMap(({ purl, scans: own }) => {
      const others = scans.filter((scan) => !own.includes(scan))
      return own.flatMap((scan) => {
        const [meant] = scans.includes(scan) ? [] : nearest(scan, others, 1)
        return meant === undefined
          ? []
          : [
              `The board ${name} has no policy scan “${scan}”, so ${purl} isn't evaluated by it. Did you mean “${meant}”?`,
            ]
      })
    }),
  ])
}

const noFile = (path: string): string => {
  throw new Error(`${path} can't be read here`)
}

type ReadText =
  | { readonly text: string; readonly mistake?: undefined }
  | { readonly mistake: string; readonly text?: undefined }

/** Those of the entries of a list, which stands at `path`. */
function readWebhooks(
  path: Path,
  entries: readonly { readonly name: string; readonly webhook?: WebhookEntry | undefined }[],
  read: (entry: WebhookEntry) => ReadText,
): { readonly found: readonly NamedWebhook[]; readonly issues: readonly Issue[] } {
  const found: NamedWebhook[] = []
  const issues: Issue[] = []
  for (const [index, { name, webhook }] of entries.entries()) {
    if (webhook === undefined) continue
    const { text, mistake } = read(webhook)
    if (mistake === undefined) found.push({ name, reveal: () => text })
    else issues.push({ path: [...path, index, 'webhook'], rest: mistake })
  }
  return { found, issues }
}

function webhookText(
  entry: WebhookEntry,
  readBeside: (path: string) => string,
  environment: Readonly<Record<string, string | undefined>>,
): ReadText {
  if (typeof entry === 'string') return { text: entry }
  if ('env' in entry) {
    const text = environment[entry.env]
    return text === undefined || text === ''
      ? { mistake: `: the environment variable ${entry.env} isn't set.` }
      : { text }
  }
  try {
    return { text: readBeside(entry.file).trim() }
  } catch {
    return { mistake: `: can't read ${entry.file}.` }
  }
}

function addressMistake(text: string, hosts: readonly string[]): string | undefined {
  return URL.canParse(text) ? webhookMistake(new URL(text), hosts, '') : urlMistake(text)
}

const RootFile = z.record(z.string(), z.json())
type RootFile = z.infer<typeof RootFile>

/** The trusted root itself, or that of the file whose path stands in its place. */
function trustedRootOf(
  root: string | RootFile,
  readBeside: (path: string) => string,
): { readonly value: RootFile; readonly mistake?: undefined } | { readonly mistake: string } {
  if (typeof root !== 'string') return { value: root }
  try {
    const read = RootFile.safeParse(JSON.parse(readBeside(root)))
    return read.success ? { value: read.data } : { mistake: `: ${root} isn't a trusted_root.json.` }
  } catch (error) {
    const reason = error instanceof SyntaxError ? "it isn't JSON" : 'no such file can be read'
    return { mistake: `: can't read ${root}: ${reason}.` }
  }
}

const Watched = z.object({
  walls: z.array(z.object({ name: z.string() }).catch({ name: '' })).catch([]),
  boards: z.array(z.object({ webhook: z.unknown().optional() }).catch({})).catch([]),
  alerts: z.object({
    walls: z.array(z.string()).optional(),
    everyProject: z.unknown().optional(),
    emailFrom: z.unknown().optional(),
    routes: z
      .array(
        z
          .object({
            name: z.string().catch(''),
            walls: z.array(z.string()).optional(),
            projects: z.unknown().optional(),
            email: z.unknown().optional(),
          })
          .catch({ name: '' }),
      )
      .catch([])
      .default([]),
  }),
})

/** Alerts must be of something, and walls of which people are notified must be of this file. */
function unwatchableWalls(content: unknown): Issue[] {
  const read = Watched.safeParse(content).data
  if (read === undefined) return []
  const { walls, everyProject, emailFrom, routes } = read.alerts
  // For boards it takes no more than the hosts.
  const hasBoards = read.boards.some(({ webhook }) => webhook !== undefined)
  const isWatching =
    walls !== undefined ||
    everyProject === true ||
    routes.some((route) => (route.walls ?? route.projects) !== undefined)
  if (!isWatching && !hasBoards) {
    return [{ path: ['alerts'], rest: ' watches nothing. Add walls, or set everyProject: true.' }]
  }
  const unknownWalls = (names: readonly string[], path: Path): Issue[] =>
    names.flatMap((name, index) =>
      read.walls.some((wall) => wall.name === name) || isSaved(name)
        ? []
        : [{ path: [...path, index], rest: `: walls has no entry named “${name}”.` }],
    )
  return [
    ...unknownWalls(walls ?? [], ['alerts', 'walls']),
    ...routes.flatMap((route, index): Issue[] => {
      const path = ['alerts', 'routes', index]
      const first = routes.findIndex(({ name }) => name === route.name)
      return [
        ...unknownWalls(route.walls ?? [], [...path, 'walls']),
        ...(route.email !== undefined && emailFrom === undefined
          ? [{ path: [...path, 'email'], rest: " needs alerts.emailFrom, the sender's address." }]
          : []),
        ...(first !== index && route.name !== ''
          ? [{ path: [...path, 'name'], rest: `: another route is named “${route.name}”.` }]
          : []),
      ]
    }),
  ]
}

/** A wall that people save in the browser: it need not be there yet. */
const savedPrefix = 'saved:'

function isSaved(name: string): boolean {
  return name.startsWith(savedPrefix) && wallNamePattern.test(name.slice(savedPrefix.length))
}

/** As walls are named everywhere else. */
function wallNames(names: readonly string[]): string[] {
  return names.map((name) => (isSaved(name) ? name.slice(savedPrefix.length) : name))
}

type Path = readonly (string | number)[]

/** A mistake at a place in the file: what follows its name there. */
interface Issue {
  readonly path: Path
  readonly rest: string
}

function issueOf(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.filter((step) => typeof step !== 'symbol')
  if (issue.code !== 'unrecognized_keys') return [{ path, rest: issue.message }]
  const known = keysAt(path)
  return issue.keys.map((key) => {
    const [meant] = nearest(key, known)
    const fix = meant === undefined ? `Known names: ${known.join(', ')}` : `Did you mean ${meant}`
    return {
      path: [...path, key],
      rest: meant === undefined ? ` is unknown. ${fix}.` : ` is unknown. ${fix}?`,
    }
  })
}

/** Whatever else is wrong with them. */
const named = z.array(z.object({ name: z.string() }).catch({ name: '' })).catch([])
const Names = z.object({ savedQueries: named, boards: named, walls: named, users: named })

function repeatedNames(content: unknown): Issue[] {
  return Object.entries(Names.safeParse(content).data ?? {}).flatMap(([list, entries]) => {
    const names = entries.map(({ name }) => name.trim())
    return names.flatMap((name, index) => {
      const first = names.indexOf(name)
      if (name === '' || first === index) return []
      return [
        {
          path: [list, index, 'name'],
          rest: `: ${list}[${first}] is already named “${name}”. Names must be unique.`,
        },
      ]
    })
  })
}

/** The mistakes as sentences by their lines. */
function inOrder(
  yaml: YamlText,
  issues: readonly Issue[],
): readonly { readonly line: number; readonly text: string }[] {
  return issues
    .map(({ path, rest }) => ({ line: yaml.lineOf(path), text: `${nameOf(path)}${rest}` }))
    .sort((a, b) => a.line - b.line)
}

/** `savedQueries[2].query`. */
function nameOf(path: Path): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('')
}

/** A text in YAML: what it says, and where. Lines are counted from 1. */
interface YamlText {
  /** Undefined where there are mistakes. */
  readonly value: unknown
  readonly mistakes: readonly { readonly line: number; readonly message: string }[]
  /** The line of what lies at a path of keys and indexes, or of what is nearest around it. */
  readonly lineOf: (path: readonly (string | number)[]) => number
}

/** Reads YAML 1.2; never throws. */
function readYaml(text: string): YamlText {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const mistakes = document.errors.map(({ pos, code, message }) => ({
    line: lineAt(pos[0]),
    message:
      code === 'MULTIPLE_DOCS'
        ? 'A second document begins here. Keep one.'
        : `Not valid YAML. ${message}.`,
  }))
  const lineOf = (path: readonly (string | number)[]): number => lineAt(offsetOf(document, path))
  if (mistakes.length > 0) return { value: undefined, mistakes, lineOf }
  try {
    return { value: document.toJS(), mistakes, lineOf }
  } catch (error) {
    const message = reasonOf(error)
    return {
      value: undefined,
      mistakes: [{ line: 1, message: `Not valid YAML. ${message}.` }],
      lineOf,
    }
  }
}

/** A key stands for its value: a mistake in an entry is looked for where its name is. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const around =
      length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const step = path[length - 1]
    if (isMap(around)) {
      const pair = around.items.find(({ key }) => isScalar(key) && key.value === step)
      if (isPair(pair) && isNode(pair.key)) return pair.key.range?.[0] ?? 0
    }
    const found = document.getIn(path.slice(0, length), true)
    if (isNode(found)) return found.range?.[0] ?? 0
  }
  return 0
}
