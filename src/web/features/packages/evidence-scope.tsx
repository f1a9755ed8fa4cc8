import {
  createContext,
  type ReactElement,
  type ReactNode,
  useEffect,
  useMemo,
  useState,
} from 'react'
import { createBrowserAttestationDesk } from '../../data/attestation/browser-attestation-desk.ts'
import { createEvidenceChecks, type EvidenceChecks } from '../../data/scans/evidence-checks.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { useTrustedKeys } from './use-trusted-keys.ts'

/** Where the evidence below is checked; undefined while nobody knows which keys count. */
export const EvidenceContext = createContext<EvidenceChecks | undefined>(undefined)

/** Lets the evidence on a page be checked, by one worker that ends when the page is left. */
export function EvidenceScope({ children }: { children: ReactNode }): ReactElement {
  const request = useRequest()
  const keys = useTrustedKeys()
  const [desk] = useState(createBrowserAttestationDesk)
  useEffect(
    () => () => {
      desk.end()
    },
    [desk],
  )
  const checks = useMemo(
    () => keys && createEvidenceChecks(request, desk, keys),
    [request, desk, keys],
  )
  return <EvidenceContext value={checks}>{children}</EvidenceContext>
}
