import { createContext } from 'react'

/** What policies are searched for; it comes to their evidence past the rows, which stay as they are. */
export const SearchedTextContext = createContext('')
