import { Box, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { bundlePath, type BundleRequest } from '../../../protocol/evidence-bundle.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { usePageServices, useServices } from '../../data/core/services.ts'
import { download } from '../../ui/download.ts'
import { bytesText } from '../../ui/format.ts'
import { ProblemPanel } from '../../ui/problem.tsx'
import { VisuallyHidden } from '../../ui/text.tsx'

/** What a bundle is wanted of: one recorded run, the last of a scan, a decision, or a board. */
export type BundleOf =
  | { readonly run: string }
  | { readonly decision: string }
  | {
      readonly path: string
      readonly scan: string
      readonly sha256: string
      readonly repository: string
    }
  | { readonly board: () => BundleRequest }

/** Saves the evidence as one zip of what the server has recorded; nothing where it makes none. */
export function EvidenceBundle({
  of,
  label = 'Evidence bundle',
  isDisabled = false,
}: {
  of: BundleOf
  label?: string
  isDisabled?: boolean
}): ReactElement | null {
  const config = useQuery(configQuery(useServices().request))
  const { fetchFile } = usePageServices()
  const [running, setRunning] = useState<{ cancel: () => void; bytes: number }>()
  const [fault, setFault] = useState<Error>()
  const latest = useRef<AbortController>(undefined)
  useEffect(() => () => latest.current?.abort(), [])

  async function save(): Promise<void> {
    const abort = new AbortController()
    latest.current = abort
    const cancel = (): void => {
      abort.abort()
    }
    let bytes = 0
    setFault(undefined)
    setRunning({ cancel, bytes })
    try {
      const [path, body] = requestOf(of)
      const count = (piece: Uint8Array): void => {
        bytes += piece.length
        setRunning({ cancel, bytes })
      }
      const file = await fetchFile(path, body, count, abort.signal)
      download(file.content, file.name)
    } catch (error) {
      if (!abort.signal.aborted) setFault(error instanceof Error ? error : new Error('unknown'))
    } finally {
      if (latest.current === abort) setRunning(undefined)
    }
  }

  if (config.data?.bundles === false) return null
  return (
    <>
      {running === undefined ? (
        <Button variant="default" disabled={isDisabled} onClick={() => void save()}>
          {label}
        </Button>
      ) : (
        <Button variant="default" onClick={running.cancel}>
          Cancel evidence bundle: {bytesText(running.bytes)} so far
        </Button>
      )}
      {/* Beside the buttons it takes no place. */}
      <span role="status" style={{ position: 'absolute' }}>
        {running !== undefined && <VisuallyHidden>Collecting evidence</VisuallyHidden>}
      </span>
      {fault !== undefined && (
        <Box w="100%">
          <ProblemPanel
            problem={problemWords(
              fault,
              { action: 'export', noun: 'the evidence', server: 'Sightline server' },
              {
                'not-found': {
                  title: 'No recorded evidence yet.',
                  meaning:
                    'Nobody has evaluated this, or its runs were deleted. Evaluate it first.',
                },
              },
            )}
          />
        </Box>
      )}
    </>
  )
}

function requestOf(of: BundleOf): [path: string, body: unknown] {
  if ('board' in of) return [bundlePath, of.board()]
  return [`${bundlePath}?${new URLSearchParams({ ...of }).toString()}`, undefined]
}
