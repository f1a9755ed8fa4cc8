import { z } from 'zod'
import { generatedBlock } from './markdown-page.ts'

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
export function architecturePage(written: string, importTable: unknown): string {
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
