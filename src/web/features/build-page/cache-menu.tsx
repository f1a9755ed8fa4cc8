import type { ReactElement } from 'react'
import type { CacheUse } from '../../../facts/cache-use.ts'
import { cacheKinds } from './build-address.ts'
import css from './cache-menu.module.css'
import { cacheWords } from './words.ts'

/** Narrows to executions by what they had of the build cache. */
export function CacheMenu({
  chosen,
  onChange,
}: {
  chosen: readonly CacheUse['kind'][]
  onChange: (chosen: readonly CacheUse['kind'][]) => void
}): ReactElement {
  return (
    <select
      className={css.menu}
      aria-label="Use of the build cache"
      value={chosen[0] ?? ''}
      onChange={(event) => {
        const kind = cacheKinds.find((known) => known === event.currentTarget.value)
        onChange(kind === undefined ? [] : [kind])
      }}
    >
      <option value="">Any use of the cache</option>
      {cacheKinds.map((kind) => (
        <option key={kind} value={kind}>
          {cacheWords[kind]}
        </option>
      ))}
    </select>
  )
}
