import { MantineProvider } from '@mantine/core'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { JobProgress } from '../../data/attestation/attestation-jobs.ts'
import { JobProgressBar } from './inspection.tsx'

const cancel = (): void => undefined

/** What is seen of a job, and what of that is read out. */
function texts(progress: JobProgress): readonly string[] {
  const job = { state: 'running', isSlow: true, progress, cancel } as const
  const bar = renderToStaticMarkup(
    createElement(MantineProvider, null, createElement(JobProgressBar, { job })),
  ).replace(/<style.*?<\/style>|<div[^>]*role="progressbar".*/g, '')
  const read = bar.replace(/<span aria-hidden="true">.*?<\/span>/g, '')
  return [bar, read].map((markup) => markup.replace(/<[^>]*>/g, '').trim())
}

test.each([
  [{ what: 'hashing', done: 1, of: 3 }, 'Hashing, 33%…', 'Hashing'],
  [
    { what: 'verifying', done: 1200, of: 3000 },
    'Checking signatures, 1,200 of 3,000…',
    'Checking signatures',
  ],
  [{ what: 'decoding', done: 1, of: 3 }, 'Decoding…', 'Decoding…'],
] as const)('of the progress %j all is seen, and no count is read out', (progress, seen, read) => {
  expect(texts(progress)).toEqual([seen, read])
})
