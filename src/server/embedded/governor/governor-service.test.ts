import { expect, test } from 'vitest'
import { repositoryPlace } from './governor-service.ts'

test.each([
  'registry.example.com/shop',
  'https://registry.example.com/shop',
  'http://registry.example.com/shop/',
  'HTTPS://Registry.Example.com:443/shop//',
  'registry.example.com/other/../shop',
  'registry.example.com/other/%2e%2e/shop',
])('%s is registry.example.com/shop', (text) => {
  expect(repositoryPlace(text)).toBe('registry.example.com/shop')
})

test.each([
  ['registry.example.com', 'registry.example.com'],
  ['registry.example.com:8443/a', 'registry.example.com:8443/a'],
  ['registry.example.com/a?b=c', 'registry.example.com/a?b=c'],
])('%s is %s', (text, place) => {
  expect(repositoryPlace(text)).toBe(place)
})
