import { Button, Menu, Text } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { countOf } from '../../../protocol/count.ts'
import { csvLine, type CsvValue } from '../../../protocol/csv.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { ndjsonLine } from '../../../protocol/ndjson.ts'
import { download } from '../../ui/download.ts'
import { MenuCaret } from '../../ui/menu-caret.tsx'
import { toast } from '../../ui/toast.ts'
import {
  columnMeaning,
  type ShownColumn,
  valueOfColumn,
  valuesNamed,
} from '../../domain/build-table/build-columns.tsx'

const forms = [
  { form: 'csv', name: 'CSV', use: 'for spreadsheets' },
  { form: 'ndjson', name: 'NDJSON', use: 'one build per line, for programs' },
] as const satisfies readonly { form: ExportForm; name: string; use: string }[]

/** Takes along what was found: the builds and columns as they are shown. */
export function ExportMenu({
  builds,
  columns,
  isComplete,
  onLoadAll,
}: {
  builds: readonly Facts[]
  columns: readonly ShownColumn[]
  isComplete: boolean
  onLoadAll: () => void
}): ReactElement {
  const [isWriting, setWriting] = useState(false)

  async function save(form: ExportForm): Promise<void> {
    setWriting(true)
    try {
      const names = columns.map(({ name }) => name)
      download(await exportBuilds(form, builds, names, pause), `builds.${form}`)
      await toast(`${countOf(builds.length, 'build')} exported.`)
    } finally {
      setWriting(false)
    }
  }

  return (
    <Menu>
      <Menu.Target>
        <Button
          variant="default"
          disabled={isWriting || builds.length === 0}
          rightSection={<MenuCaret />}
        >
          {isWriting ? 'Exporting…' : 'Export'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {forms.map(({ form, name, use }) => (
          <Menu.Item
            key={form}
            onClick={() => {
              void save(form)
            }}
          >
            {`${name} of ${countOf(builds.length, 'build')}`}
            <Text fz="xs" c="dimmed">{`${use}, with the columns shown`}</Text>
          </Menu.Item>
        ))}
        {!isComplete && (
          <Menu.Item onClick={onLoadAll}>
            Load all first
            <Text fz="xs" c="dimmed">
              More builds may be available than are loaded.
            </Text>
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Lets the browser draw and listen before the work goes on. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}

/** The forms in which builds can be taken along. */
type ExportForm = 'csv' | 'ndjson'

/** Builds written at once: a few milliseconds' work. */
const chunk = 2000

/**
 * The builds as a file: the columns that are shown, in their order, behind the id. `pause` is waited
 * for every 2,000 builds, so that the page goes on living whatever their number.
 */
export async function exportBuilds(
  form: ExportForm,
  builds: readonly Facts[],
  columns: readonly string[],
  pause: () => Promise<void>,
): Promise<Blob> {
  const meanings = columns.map(exportColumn)
  const lineOf = (facts: Facts): string =>
    form === 'csv'
      ? csvLine([facts.buildId, ...meanings.map(({ csv }) => csv(facts))])
      : ndjsonLine(
          Object.fromEntries([
            ['buildId', facts.buildId],
            ...meanings.map(({ key, json }) => [key, json(facts)]),
          ]),
        )
  // Spreadsheets take CSV for the encoding of their region, unless it begins with this mark.
  const parts: string[] =
    form === 'csv' ? [`\uFEFF${csvLine(['Build', ...meanings.map(({ heading }) => heading)])}`] : []
  for (let from = 0; from < builds.length; from += chunk) {
    parts.push(
      builds
        .slice(from, from + chunk)
        .map(lineOf)
        .join(''),
    )
    await pause()
  }
  const type = form === 'csv' ? 'text/csv;charset=utf-8' : 'application/x-ndjson'
  return new Blob(parts, { type })
}

/** A column in a file. */
interface ExportColumn {
  /** With the unit, which has to stand in it. */
  readonly heading: string
  readonly csv: (facts: Facts) => CsvValue
  /** The name and value in a record; absent where the value is unknown. */
  readonly key: string
  readonly json: (facts: Facts) => unknown
}

function exportColumn(name: string): ExportColumn {
  const { heading, text } = columnMeaning(name)
  const value = valueOfColumn(name)
  const csv = (facts: Facts): CsvValue => text(facts) ?? null
  if (value === undefined) return { heading, csv, key: name, json: text, ...ownExports[name] }
  const json = (facts: Facts): unknown => facts.values && valuesNamed(facts, value)
  return { heading, csv, key: value, json }
}

/** Where a column has another key than its name, or more than a text. */
const ownExports: Readonly<Record<string, Partial<ExportColumn>>> = {
  requested: { json: ({ requested }) => requested },
  tags: { json: ({ tags }) => tags },
  host: { key: 'hostname' },
  'user-host': { key: 'userAndHost' },
  tool: { key: 'buildTool' },
  agent: { key: 'agentVersion' },
  duration: {
    heading: 'Duration (ms)',
    key: 'durationMs',
    csv: ({ durationMs }) => durationMs ?? null,
    json: ({ durationMs }) => durationMs,
  },
  started: timeExport('Started', 'startTime'),
  received: timeExport('Received', 'receivedAt'),
}

function timeExport(heading: string, key: 'startTime' | 'receivedAt'): Partial<ExportColumn> {
  return {
    heading: `${heading} (UTC)`,
    key,
    csv: ({ [key]: at }) => (typeof at === 'number' ? new Date(at).toISOString() : null),
    json: ({ [key]: at }) => at,
  }
}
