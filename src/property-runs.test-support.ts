import fc from 'fast-check'

/**
 * How much of it tests of properties try: all with FC_RUNS=1, at random (`npm run test:deep`). By
 * default a tenth, always the same cases, so that a failure of `npm test` is one of the change it tests.
 */
const share = Number(process.env.FC_RUNS ?? 0.1)
const fewest = 20
const isRandom = process.env.FC_RUNS !== undefined

fc.configureGlobal(isRandom ? {} : { seed: 1 })

/** How often a property is tried that deserves `all` runs. */
export function runs(all: number): number {
  return Math.min(all, Math.max(fewest, Math.ceil(all * share)))
}

/** The positions from 0 to `last` to be tried: every one, or in even steps. */
export function positions(last: number): number[] {
  const step = Math.max(1, Math.floor((last + 1) / runs(last + 1)))
  const first = isRandom ? Math.floor(Math.random() * step) : 0
  const count = Math.ceil((last + 1 - first) / step)
  return Array.from({ length: count }, (_, index) => first + index * step)
}
