import { type ReactElement, useState } from 'react'
import { KeyHint, useKeyRegistry } from '../../ui/keys.tsx'
import css from './wall-panels.module.css'

/** The keys that work on a wall. */
export function KeysPanel(): ReactElement {
  const registry = useKeyRegistry()
  const [groups] = useState(registry.groups)
  return (
    <dl className={css.fields}>
      {groups
        .flatMap(({ bindings }) => bindings)
        .map(({ keys, label }) => (
          <div key={keys[0]} style={{ display: 'contents' }}>
            <dt>
              <KeyHint keys={keys[0]} />
            </dt>
            <dd style={{ margin: 0 }}>{label}</dd>
          </div>
        ))}
    </dl>
  )
}
