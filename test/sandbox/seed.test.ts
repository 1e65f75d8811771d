import { describe, expect, it } from 'vitest';
import { findSeedUser } from '../../src/sandbox/seed.ts';

const IDS = Array.from({ length: 5000 }, (_, index) => `usr_${String(index + 1).padStart(4, '0')}`);

describe('findSeedUser', () => {
  it('knows usr_0001 to usr_5000', () => {
    expect(findSeedUser('usr_0001')).toEqual({
      id: 'usr_0001',
      name: 'Anna Abbott',
      email: 'anna.abbott@example.com',
      emailVerified: true,
      image: 'https://images.example.com/usr_0001.png',
      createdAt: '2024-01-08T09:00:00.000Z',
      updatedAt: '2024-02-07T09:00:00.000Z',
      lastLogin: '2024-02-08T09:00:00.000Z',
    });
    expect(IDS.map((id) => findSeedUser(id)?.id)).toEqual(IDS);
  });

  it.each(['usr_0000', 'usr_5001', 'usr_1e03', ''])('does not know "%s"', (id) => {
    expect(findSeedUser(id)).toBeUndefined();
  });
});
