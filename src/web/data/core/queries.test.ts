import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { keepErrors } from './queries.tsx'

test('why a query failed is known until it is answered', async () => {
  const client = new QueryClient()
  keepErrors(client)
  const faults = [new Error('away'), new Error('still away')]
  const observer = new QueryObserver(client, {
    queryKey: ['builds'],
    queryFn: () => {
      const fault = faults.shift()
      return fault === undefined ? 'there' : Promise.reject(fault)
    },
    enabled: false,
    retry: false,
  })
  const seen: string[] = []
  const note = (): void => {
    const { status, error, data, isFetching } = observer.getCurrentResult()
    seen.push(`${status}: ${error?.message ?? data ?? ''}${isFetching ? ', trying' : ''}`)
  }
  const end = observer.subscribe(() => undefined)
  for (let count = 0; count < 3; count++) {
    const trying = observer.refetch()
    note()
    await trying
    note()
  }
  end()
  client.clear()
  expect(seen).toEqual([
    'pending: , trying',
    'error: away',
    'error: away, trying',
    'error: still away',
    'error: still away, trying',
    'success: there',
  ])
})
