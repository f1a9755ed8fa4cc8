import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'oxfmt'
import { z } from 'zod'
import { commands, helpText, type Option, options, ownHelp } from '../cli/options.ts'
import { helpOf, isSecret, settingNames } from '../server/config-settings.ts'
import { createMetrics } from '../server/proxy/metrics.ts'
import { configurationPage } from './configuration.ts'
import { blockOf, codeOf, generatedBlock, pageOf, sentenceOf, tableOf } from './markdown-page.ts'
import { openApi, proxyApiPage } from './proxy-api.ts'
import { queryLanguagePage } from './query-language.ts'

/** The files that `npm run docs` writes, by their paths in the repository, whose folder is `root`; `importTable` is that of `.dependency-cruiser.mjs`. */
export async function referenceFiles(
  root: string,
  importTable: unknown,
): Promise<ReadonlyMap<string, string>> {
  const architecture = 'docs/architecture.md'
  const written = readFileSync(join(root, architecture), 'utf8')
  const files: readonly (readonly [path: string, text: string])[] = [
    ['docs/reference/query-language.md', queryLanguagePage()],
    [architecture, architecturePage(written, importTable)],
    ['docs/reference/command-line.md', commandLinePage()],
    ['docs/reference/configuration.md', configurationPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/reference/proxy-api.md', proxyApiPage()],
    ['docs/reference/proxy-api.json', JSON.stringify(openApi())],
  ]
  return new Map(
    await Promise.all(
      files.map(async ([path, text]) => [path, await formatted(path, text)] as const),
    ),
  )
}

/** As `npm run format` leaves it. */
async function formatted(path: string, text: string): Promise<string> {
  return (await format(path, text)).code
}

/** Every metric that the proxy registers, by name (docs/reference/metrics.md). */
function metricsPage(): string {
  const nothing = { waiting: 0, written: 0, lost: 0, isFailing: false, lastProblemAt: null }
  const metrics = createMetrics(
    () => ({ gauges: {}, counters: {} }),
    { since: 0, defaultBranches: {} },
    () => nothing,
  )
  return pageOf(
    'Metrics',
    'What `GET /metrics` answers, in the text format of Prometheus. Labels hold words of Sightline, patterns of paths, names of projects and statuses, never what people typed. A metric whose value is unknown has no sample.',
    tableOf(
      ['Metric', 'Type', 'Labels', 'What it is'],
      metrics
        .described()
        .map(({ name, type, labels, help }) => [
          codeOf(name),
          type,
          labels.map(codeOf).join(', '),
          help,
        ]),
    ),
    "Beside these, metrics whose names begin with `sightline_live_` are the live feed's own counts and gauges, for those who look into it; their names may change.",
  )
}

const Patterns = z.union([z.string(), z.array(z.string())])
const ImportTable = z.object({
  allowed: z.array(
    z.looseObject({
      from: z.looseObject({ path: Patterns.optional() }),
      to: z.looseObject({ path: Patterns.optional() }),
    }),
  ),
})

const foundations = ['protocol', 'search', 'facts', 'policy', 'attestation']

/** A room of the source and what it may import, by the import table. */
interface Arrow {
  readonly from: string
  readonly to: string
}

/** docs/architecture.md with its drawing as the import table has it. */
function architecturePage(written: string, importTable: unknown): string {
  const { allowed } = ImportTable.parse(importTable)
  const rows = allowed.flatMap(({ from, to }) =>
    listOf(from.path)
      .flatMap(roomsOf)
      .map((room) => ({ room, targets: listOf(to.path).flatMap(roomsOf) })),
  )
  const all = [...new Set(rows.map(({ room }) => room))]
  // Rows of a tower are about packages, and what describes everything may import everything.
  const rooms = all.filter(
    (room) => room !== 'reference' && !all.some((other) => other.startsWith(`${room}/`)),
  )
  const arrows = rows.flatMap(({ room, targets }) => arrowsOf(room, targets, rooms))
  return generatedBlock(written, 'import table', drawing(rooms, arrows))
}

/** To all foundations is one arrow; to a folder is an arrow to each room in it. */
function arrowsOf(
  room: string,
  targets: readonly string[],
  rooms: readonly string[],
): readonly Arrow[] {
  if (!rooms.includes(room)) return []
  const onAll = foundations.every((one) => targets.includes(one))
  const single = targets
    .filter((target) => !onAll || !foundations.includes(target))
    .flatMap((target) => rooms.filter((one) => one === target || one.startsWith(`${target}/`)))
  const to = [...new Set([...single, ...(onAll ? ['foundations'] : [])])]
  return to.filter((target) => target !== room).map((target) => ({ from: room, to: target }))
}

function listOf(path: z.infer<typeof Patterns> | undefined): readonly string[] {
  return path === undefined ? [] : [path].flat()
}

/** The rooms that a pattern of the table means; `server/*.ts` are the files directly below `server`. */
function roomsOf(pattern: string): readonly string[] {
  const [, path] = /^\^src\/(.+)$/.exec(pattern) ?? []
  if (path === undefined || path.includes('main\\.ts')) return []
  const choice = /\(\?:([^)]+)\)/.exec(path)
  if (choice !== null) {
    return (choice[1] ?? '')
      .split('|')
      .flatMap((one) => roomsOf(`^src/${path.replace(choice[0], one)}`))
  }
  const room = path
    .replace('[^/]+\\.ts$', '*.ts')
    .replace(/\/(?:\(\[\^\/\]\+\)|\$1)/, '')
    .replace(/\/$/, '')
  return /^[\w./*-]+$/.test(room) && !room.includes('event-source') ? [room] : []
}

function drawing(rooms: readonly string[], arrows: readonly Arrow[]): string {
  const tower = (name: string): readonly string[] => [
    `  subgraph ${name}`,
    ...rooms.filter((room) => room.startsWith(`${name}/`)).map(nodeOf),
    '  end',
  ]
  const alone = rooms.filter((room) => !room.includes('/') && !foundations.includes(room))
  return [
    '```mermaid',
    'flowchart TD',
    ...tower('web'),
    ...tower('server'),
    ...alone.map(nodeOf),
    '  subgraph foundations',
    ...foundations.map(nodeOf),
    '  end',
    ...new Set(arrows.map(({ from, to }) => `  ${idOf(from)} --> ${idOf(to)}`)),
    '```',
  ].join('\n')
}

function nodeOf(room: string): string {
  return `    ${idOf(room)}["${room}"]`
}

function idOf(room: string): string {
  return room.replace('*.ts', 'files').replace(/[^\w]/g, '_')
}

const everyOption: readonly (readonly [name: string, option: Option])[] = Object.entries(options)

/** The page of the command `sightline`: what it runs, its commands and options, and the flags of the product. */
function commandLinePage(): string {
  return pageOf(
    'Command line',
    `In a checkout the command is \`node scripts/sightline.mjs\`, of the package \`npx ./sightline-….tgz\` or, once installed, \`sightline\`. In
pipelines \`sightline.mjs\` is one file without dependencies, which has everything but the product itself.`,
    tableOf(
      ['Command', 'What it does'],
      [
        [
          '`sightline`, `sightline start`',
          'runs the product; takes [flags](#flags-of-the-product)',
        ],
        [
          '`sightline --check`',
          'checks settings, servers and database, and exits: 0 if all of it can be used',
        ],
        [
          '`sightline embedded`',
          'runs the embedded services alone; `--import recording.jsonl` adds builds',
        ],
        ...Object.entries(commands).map(([command, { summary }]) => [
          `[${codeOf(`sightline ${command}`)}](#sightline-${command.replaceAll(' ', '-')})`,
          summary,
        ]),
        ['`sightline --help`, `--version`', 'says how it is used, and which version it is'],
      ],
    ),
    ...Object.entries(commands).flatMap(([command, { summary }]) => [
      `## sightline ${command}`,
      sentenceOf(summary),
      tableOf(
        ['Option', 'What it does'],
        everyOption
          .filter(([, option]) => commandsOf(option).includes(command))
          .map(([name, { value, help }]) => [
            codeOf(value === undefined ? `--${name}` : `--${name} <${value}>`),
            sentenceOf(ownHelp(help)),
          ]),
      ),
    ]),
    '## Help',
    'What `sightline --help` prints, with the variables it reads and its exit codes; `sightline scan --help` and its like print the part of one command:',
    blockOf('text', helpText()),
    '## Flags of the product',
    'Every [setting](configuration.md#settings) is a flag as well; those of secrets name a file.',
    tableOf(
      ['Flag', 'What it does'],
      settingNames.map((name) => [
        codeOf(`--${name.toLowerCase().replaceAll('_', '-')}${isSecret(name) ? '-file' : ''}`),
        helpOf(name).replaceAll('<', '\\<'),
      ]),
    ),
  )
}

/** The commands of an option. */
export function commandsOf({ help, of = ['scan'] }: Option): readonly string[] {
  return help.startsWith('show ') ? [] : of
}
