import { fact, list, noneOf } from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { serviceTypes } from './service-types.ts'

export const publishRepositories: PredicateReader = {
  name: 'Publish repositories',
  types: serviceTypes('publish-repositories/v1'),
  proves: 'The package was published to these repositories at this time, by this identity.',
  keys: ['uris', 'timePublished', 'sourcedFrom'],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Published', 'time', 'timePublished'),
      ...fact(predicate, 'Published by', 'text', 'sourcedFrom'),
      ...noneOf(predicate, 'Repositories', 'uris'),
    ],
    lists: list(predicate, 'Repositories', 'uri', 'uris'),
  }),
}
