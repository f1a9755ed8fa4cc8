import { existsSync } from 'node:fs'

const root = new URL('../../shared/data/', import.meta.url)

if (!existsSync(root)) {
  console.info('Tests with real data are skipped: ../shared/data is absent (see CONTRIBUTING.md).')
}

/** A file or folder of the collections of real data, which stand beside the checkout or nowhere. */
export function realData(path: string): URL {
  return new URL(path, root)
}
