import { fact } from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'

export const release: PredicateReader = {
  name: 'Release',
  types: [
    'https://in-toto.io/attestation/release/v0.1',
    'https://in-toto.io/attestation/release/v0.2',
  ],
  proves: 'The registry released these files together as this version of the package.',
  keys: [
    'purl',
    'releaseId',
    'packageId',
    'repository',
    'ownerId',
    'repositoryId',
    'tag',
    'databaseId',
  ],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Package', 'purl', 'purl'),
      ...fact(predicate, 'Release', 'text', 'releaseId'),
      ...fact(predicate, 'Package id', 'text', 'packageId'),
      ...fact(predicate, 'Tag', 'text', 'tag'),
      ...fact(predicate, 'Repository', 'text', 'repository'),
      ...fact(predicate, 'Repository id', 'text', 'repositoryId'),
      ...fact(predicate, 'Owner id', 'text', 'ownerId'),
      ...fact(predicate, 'Database id', 'text', 'databaseId'),
    ],
    lists: [],
  }),
}
