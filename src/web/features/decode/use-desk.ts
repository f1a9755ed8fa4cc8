import { useEffect, useState } from 'react'
import type { AttestationDesk } from '../../data/attestation/attestation-desk.ts'
import { createBrowserAttestationDesk } from '../../data/attestation/browser-attestation-desk.ts'

/** A desk of the component's own; its worker ends when the component is left. */
export function useDesk(): AttestationDesk {
  const [desk] = useState(createBrowserAttestationDesk)
  useEffect(
    () => () => {
      desk.end()
    },
    [desk],
  )
  return desk
}
