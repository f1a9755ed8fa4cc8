import { Button } from '@mantine/core'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import { mostOnPaper } from './policy-evidence.tsx'
import { useSignatureCheck } from './evidence-signature.tsx'

/**
 * Prints the page once the signatures of what stands on paper are checked: paper cannot be checked
 * later. Pressed again meanwhile it prints at once.
 */
export function PrintScan({
  groups,
  isDisabled,
}: {
  groups: readonly PolicyGroup[]
  isDisabled: boolean
}): ReactElement {
  const check = useSignatureCheck()
  const [checked, setChecked] = useState<{ readonly done: number; readonly of: number }>()
  const turn = useRef(0)
  useEffect(
    () => () => {
      turn.current += 1
    },
    [],
  )

  function printNow(): void {
    turn.current += 1
    setChecked(undefined)
    print()
  }

  async function checkAndPrint(): Promise<void> {
    const uris = evidenceOnPaper(groups)
    if (check === undefined || uris.length === 0) {
      printNow()
      return
    }
    turn.current += 1
    const own = turn.current
    let done = 0
    setChecked({ done, of: uris.length })
    await Promise.all(
      uris.map(async (uri) => {
        await check(uri)
        done += 1
        if (turn.current === own) setChecked({ done, of: uris.length })
      }),
    )
    if (turn.current === own) printNow()
  }

  return (
    <Button
      variant="default"
      disabled={isDisabled}
      onClick={() => {
        if (checked === undefined) void checkAndPrint()
        else printNow()
      }}
    >
      {checked === undefined
        ? 'Print'
        : `Print now (${String(checked.done)} of ${String(checked.of)} signatures checked)`}
    </Button>
  )
}

/** The attestations of the results that are printed, each once. */
function evidenceOnPaper(groups: readonly PolicyGroup[]): readonly string[] {
  const uris = groups.flatMap(({ results }) =>
    results.slice(0, mostOnPaper).flatMap(({ attestationUri }) => attestationUri ?? []),
  )
  return [...new Set(uris)].slice(0, mostOnPaper)
}
