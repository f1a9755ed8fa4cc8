import { Button } from '@mantine/core'
import { type ReactElement, useContext } from 'react'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import { WaiverMark } from '../../domain/waiver/waiver-mark.tsx'
import { RowWaiversContext } from './waiver-context.ts'
import css from './waiver-row.module.css'

/** In the line of a policy: that it is waived, beside its status. */
export function WaiverLine({ group }: { group: PolicyGroup }): ReactElement | null {
  const waiver = useContext(RowWaiversContext).waived.get(group.key)
  return waiver === undefined || group.status !== 'unsatisfied' ? null : (
    <span className={css.line}>
      <WaiverMark waiver={waiver} />
    </span>
  )
}

/** Below a policy that fails: what those allowed to can do about its waiver. */
export function WaiverActions({ group }: { group: PolicyGroup }): ReactElement | null {
  const { waived, elsewhere, onWish } = useContext(RowWaiversContext)
  if (onWish === undefined || group.status !== 'unsatisfied') return null
  const { name } = group
  const waiver = waived.get(group.key)
  const offered = waiver === undefined ? elsewhere.get(group.key) : undefined
  return (
    <div className={css.actions}>
      {waiver === undefined ? (
        <Button
          size="xs"
          variant="default"
          className={css.button}
          aria-label={`Waive ${name}…`}
          onClick={() => {
            onWish({ is: 'give', group, carriedFrom: undefined })
          }}
        >
          Waive…
        </Button>
      ) : (
        <Button
          size="xs"
          variant="default"
          className={css.button}
          aria-label={`End the waiver of ${name}…`}
          onClick={() => {
            onWish({ is: 'end', policy: name, waiver })
          }}
        >
          End the waiver…
        </Button>
      )}
      {offered !== undefined && (
        <>
          <span className={css.offer}>
            Version {versionOf(offered.packagePath)} is <WaiverMark waiver={offered} />
          </span>
          <Button
            size="xs"
            variant="default"
            className={css.button}
            aria-label={`Carry the waiver of ${name} on to this version…`}
            onClick={() => {
              onWish({ is: 'give', group, carriedFrom: offered })
            }}
          >
            Carry on…
          </Button>
        </>
      )}
    </div>
  )
}

function versionOf(packagePath: string): string {
  const segment = packagePath.slice(packagePath.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
