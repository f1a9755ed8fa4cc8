import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { architecturePage } from './architecture.ts'
import { commandLinePage } from './command-line.ts'
import { configurationPage } from './configuration.ts'
import { metricsPage } from './metrics.ts'
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
  return format(text, { ...(await resolveConfig(path)), filepath: path })
}
