import { type ReactElement, type RefObject, useState } from 'react'
import { type KeyGroup, KeyHint, useKeyRegistry } from '../ui/keys.tsx'
import css from './shell.module.css'

/** The list of keys that work at this moment; opened with `showModal`. */
export function KeyList({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }): ReactElement {
  const registry = useKeyRegistry()
  const [groups, setGroups] = useState<readonly KeyGroup[]>([])
  return (
    <dialog
      ref={dialog}
      className={css.dialog}
      aria-labelledby="key-list-heading"
      onBeforeToggle={(event) => {
        if (event.newState === 'open') setGroups(merged(registry.groups()))
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) event.currentTarget.close()
      }}
    >
      <div className={css.body}>
        <h2 id="key-list-heading" className={css.title}>
          Keys
        </h2>
        {groups.map(({ heading, bindings }) => (
          <section key={heading}>
            <h3 className={css.heading}>{heading}</h3>
            <dl className={css.keys}>
              {bindings.map(({ keys, label }) => (
                <div key={keys[0]} className={css.line}>
                  <dt>
                    {keys.map((key, index) => (
                      <span key={key}>
                        {index > 0 && ' or '}
                        <KeyHint keys={key} />
                      </span>
                    ))}
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <form method="dialog">
          <button type="submit" className={css.close}>
            Close
          </button>
        </form>
      </div>
    </dialog>
  )
}

/** Several parts of a screen may put keys under the same heading. */
function merged(groups: readonly KeyGroup[]): readonly KeyGroup[] {
  const headings = [...new Set(groups.map(({ heading }) => heading))]
  return headings
    .map((heading) => ({
      heading,
      bindings: groups.filter((group) => group.heading === heading).flatMap((g) => g.bindings),
    }))
    .filter(({ bindings }) => bindings.length > 0)
}
