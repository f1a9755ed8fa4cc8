import * as z from 'zod/mini'

/**
 * Where evidence bundles are made: `GET` with `decision`, `run`, `board` (a configured one) or `path`,
 * `scan`, `sha256` and `repository`; `POST` with `BundleRequest` for any board. The answer is a zip
 * (docs/design.md#evidence-bundle).
 */
export const bundlePath = '/history/bundle'

/** As many cells one bundle covers at most: packages times scans. */
const mostBundleCells = 5000

/** A package and a scan whose last recorded run is wanted. */
export const BundleCell = z.object({
  /** As `packagePath` of protocol/package-address.ts writes it, version and all. */
  packagePath: z.string().check(z.minLength(1), z.maxLength(2048)),
  sha256: z.string().check(z.maxLength(256)),
  repositoryUrl: z.string().check(z.maxLength(2048)),
  scan: z.string().check(z.minLength(1), z.maxLength(256)),
})
export type BundleCell = z.infer<typeof BundleCell>

/** What is sent for a board as its reader sees it: its cells, never what they came to. */
export const BundleRequest = z.object({
  title: z.string().check(z.maxLength(200)),
  /** The page of the board, without its origin. */
  page: z._default(z.string().check(z.regex(/^\/board(?:[/?].*)?$/), z.maxLength(8192)), '/board'),
  cells: z.array(BundleCell).check(z.minLength(1), z.maxLength(mostBundleCells)),
})
export type BundleRequest = z.infer<typeof BundleRequest>
