import { Button } from '@mantine/core'
import { type ReactElement, type SyntheticEvent, useId, useState } from 'react'
import { type ActivityAddress, readActivityAddress, verdicts } from './activity-address.ts'
import css from './history-page.module.css'

/** What the lists are narrowed to: typed, and then looked up. */
export function ActivityFilters({
  address,
  mistake,
  onChange,
}: {
  address: ActivityAddress
  /** What is wrong with the package. */
  mistake: string | undefined
  onChange: (address: ActivityAddress) => void
}): ReactElement {
  const [typed, setTyped] = useState(address)
  const id = useId()
  const isOfEvaluations = address.show === 'evaluations'
  function submit(event: SyntheticEvent): void {
    event.preventDefault()
    onChange(typed)
  }
  return (
    <>
      <form className={css.filters} role="search" aria-label="Activity" onSubmit={submit}>
        <label data-wide="true">
          Package
          <input
            value={typed.package}
            placeholder="pkg:oci/checkout or pkg:oci/checkout@2.4.0"
            autoComplete="off"
            spellCheck={false}
            aria-invalid={mistake !== undefined}
            aria-describedby={mistake === undefined ? undefined : id}
            onChange={(event) => {
              setTyped({ ...typed, package: event.currentTarget.value })
            }}
          />
        </label>
        {isOfEvaluations && (
          <>
            <label>
              Policy scan
              <input
                value={typed.scan}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => {
                  setTyped({ ...typed, scan: event.currentTarget.value })
                }}
              />
            </label>
            <label>
              Person
              <input
                value={typed.by}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => {
                  setTyped({ ...typed, by: event.currentTarget.value })
                }}
              />
            </label>
            <label>
              Verdict
              <select
                value={typed.verdict}
                onChange={(event) => {
                  const search = new URLSearchParams({ verdict: event.currentTarget.value })
                  const next = { ...typed, verdict: readActivityAddress(search).verdict }
                  setTyped(next)
                  onChange(next)
                }}
              >
                <option value="">any</option>
                {verdicts.map((verdict) => (
                  <option key={verdict} value={verdict}>
                    {verdict.replace('-', ' ')}
                  </option>
                ))}
              </select>
            </label>
          </>
        )}
        <Button size="xs" variant="default" type="submit">
          Show
        </Button>
      </form>
      {mistake !== undefined && (
        <p id={id} className={css.mistake} role="alert">
          {mistake}
        </p>
      )}
    </>
  )
}
