import { describe } from 'vitest'
import { describeLies } from './describe-lies.ts'
import { idTokenLies } from './id-token-lies.ts'

describe('a sign-in whose ID token may lie', () => describeLies(idTokenLies))
