import { testLies } from '../test-lies.ts'
import { startHaproxyWithVerifier } from './haproxy-recipes.ts'

testLies('HAProxy', startHaproxyWithVerifier)
