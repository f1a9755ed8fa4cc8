import { ndjsonLine } from '../../../protocol/ndjson.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { columnMeaning } from './column-meaning.ts'
import { csvLine } from '../../../protocol/csv.ts'

/** The forms in which builds can be taken along. */
export type ExportForm = 'csv' | 'ndjson'

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
  const meanings = columns.map(columnMeaning)
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
    form === 'csv'
      ? [`\uFEFF${csvLine(['Build', ...meanings.map(({ csvHeading }) => csvHeading)])}`]
      : []
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
