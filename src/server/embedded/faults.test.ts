import { expect, test } from 'vitest'
import { parseFaults } from './faults.ts'

test('the compact text of the issue is understood', () => {
  expect(parseFaults('cut-after=2000,status=503x3, silence,slow=10/s')).toEqual({
    ok: true,
    faults: [
      { kind: 'cut', afterBytes: 2000 },
      { kind: 'status', status: 503, times: 3 },
      { kind: 'silence' },
      { kind: 'slow', bytesPerSecond: 10 },
    ],
  })
})

test('every fault can be limited to some requests and to paths', () => {
  expect(parseFaults('silencex2@/build-export/v2,slow=5/s@/api,cut-after=1x9,status=429')).toEqual({
    ok: true,
    faults: [
      { kind: 'silence', times: 2, prefix: '/build-export/v2' },
      { kind: 'slow', bytesPerSecond: 5, prefix: '/api' },
      { kind: 'cut', afterBytes: 1, times: 9 },
      { kind: 'status', status: 429 },
    ],
  })
})

test('an empty text is no fault', () => {
  expect(parseFaults(' , ')).toEqual({ ok: true, faults: [] })
})

test('every mistake is told', () => {
  const text =
    'cut-after,cut-after=0,cut-after=1e3,status=200,status=many,slow=10,slow=0/s,loud,silencex0,silence@api'
  const parsed = parseFaults(text)
  expect(parsed.ok).toBe(false)
  expect(parsed.ok ? [] : parsed.mistakes.map((mistake) => mistake.split(': ')[0])).toEqual(
    text.split(','),
  )
})
