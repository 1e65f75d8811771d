import { DAY_MS } from '../util/units.ts';

const USER_COUNT = 5000;

/** Fifty of each: a pair of names occurs at most twice, and then at another domain. */
const GIVEN_NAMES = (
  'Anna Ben Chloé David Élodie Farid Grace Hiroshi Ingrid João Kwame Lena Łukasz Mei Nadia Omar Priya Quentin Rosa ' +
  'Søren Tomás Uma Viktor Wanjiru Ximena Yusuf Zoë Aisha Björn Carla Dmitri Emeka Fatima George Hana Ivan Jürgen ' +
  'Katarzyna Liam María Noor Olga Pádraig Renée Sanjay Tove Valentina 明子 Δήμητρα Соня'
).split(' ');
const FAMILY = (
  'Abbott Bauer Castillo Dubois Eriksen Fontaine García Haddad Ivanov Jansen Kowalska López Müller Nakamura Okafor ' +
  "Pereira Quigley Rossi Šimić Tanaka Ueda Vargas Weiß Xu Yılmaz Zhang Almeida Brandt Chaudhary Dąbrowski O'Brien " +
  'Fischer Gruber Hansen Ito Jovanović Khan Larsen Mensah Nguyen Østergaard Patel Ruiz Sato Thórsson Usman Vogel ' +
  'Wójcik Yamada 佐藤'
).split(' ');
const DOMAINS = (
  'example.com mail.example.com berlin.example.com lab.example.com ' +
  'field.example.com osaka.example.com lagos.example.com partners.example.com'
).split(' ');

const FIRST_USER_MS = Date.parse('2024-01-08T09:00:00.000Z');

/**
 * Derives a user as embedded in a member (interface 2.3) from an id, usr_0001 to usr_5000. Returns undefined for any other
 * id. Times are ISO 8601.
 */
export function findUser(id: string) {
  const index = /^usr_\d{4}$/.test(id) ? Number(id.slice(4)) - 1 : -1;
  if (index < 0 || index >= USER_COUNT) return undefined;
  const givenName = GIVEN_NAMES[index % 50] ?? '';
  const family = FAMILY[((index % 50) * 7 + Math.floor(index / 50)) % 50] ?? '';
  const domain = DOMAINS[Math.floor(index / 2500) * 4 + (index % 4)] ?? '';
  const timeAfter = (days: number) => new Date(FIRST_USER_MS + ((index % 400) + days) * DAY_MS).toISOString();
  return {
    id,
    name: `${givenName} ${family}`,
    email: `${mailbox(givenName)}.${mailbox(family)}@${domain}`,
    emailVerified: index % 11 !== 10,
    image: `https://images.example.com/${id}.png`,
    createdAt: timeAfter(0),
    updatedAt: timeAfter(30),
    lastLogin: timeAfter(31 + (index % 60)),
  };
}

/** Removes the marks from Latin letters, as most mail addresses do. */
function mailbox(name: string): string {
  const spelled = { Ł: 'l', ł: 'l', Ø: 'o', ø: 'o', ß: 'ss', ı: 'i' };
  return name
    .replaceAll(/[ŁłØøßı]/g, (letter) => spelled[letter as keyof typeof spelled])
    .normalize('NFKD')
    .replaceAll(/[\p{M}']/gu, '')
    .toLowerCase();
}
