import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import type { Envelope } from '../../../attestation/envelope.ts'
import { NeededKeys } from './needed-keys.tsx'

/** What can be done about who signed: another key, and how many keys it takes. */
export function SignerActions({
  envelope,
  isSettled,
  needed,
  onNeeded,
  onAddKey,
}: {
  envelope: Envelope | undefined
  /** Nobody else needs to be trusted. */
  isSettled: boolean
  needed: number
  onNeeded: (needed: number) => void
  onAddKey: () => void
}): ReactElement | null {
  if (envelope === undefined) return null
  const isChoice = needed > 1 || envelope.signatures.length > 1
  return (
    <>
      {!isSettled && (
        <Button size="compact-xs" variant="default" onClick={onAddKey}>
          Add a key
        </Button>
      )}{' '}
      {isChoice && <NeededKeys needed={needed} onNeeded={onNeeded} />}
    </>
  )
}
