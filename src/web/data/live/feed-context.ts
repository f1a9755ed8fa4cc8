import { createContext } from 'react'
import type { Feed } from './feed.ts'

/** The one feed of this page, made by the entry (web/app) and read through use-feed.ts. */
export const FeedContext = createContext<Feed | undefined>(undefined)
