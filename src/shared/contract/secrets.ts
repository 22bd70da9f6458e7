/** The secrets are examples. The test of the examples replaces them with real secrets. */
export const sampleSecrets = {
  password: 'gray harbor crane 41',
  newPassword: 'brown meadow lantern 7',
  session: 'eyJhbGciOiJIUzI1NiJ9.eyJpZCI6Mn0.c2FtcGxl',
  client: 'q8fJ2vTnXk5bW1zR7yLd0A',
  registration: 'kD93mZpQx7RtY2vBnL5wHs8cJfGa1eUo',
  reset: 'pW4sXc8LbN1vHq6TzR0yMf3kJd9aGe2u',
  verification: 'tB7nRk2QwZ5xLc9VhM3pJs6dYf0gAe8i',
  phone: 'Vn6sQp1XkRw8TbYc3LzHm9dJfGa4Ue7i',
  deviceKey: '1.h1Jk0bXo2cVtq8yLwR5nPz3sDf6gAa9uEe7iTm4xQcY',
  challenge: 'kV9cQ2rTn8wYb4XsLm0PzJf6HdGa3Ue1',
  setUpChallenge: 'Zr5mNd8QpWc2VxLk7TyHb9sJfGa4Ue0o',
  handover: 'Hn4cWx8RtYp2VzLm6KqBs9dJfGa5Ue3o',
  handoverKey: 'eW7sPq3ZkXn9VbTr5LyHc2mJdGa8Uf6i',
  begun: 'Tq3vXn7LbZc1RyWp9KdMs5hJfGa8Ue2i',
  ownBegun: 'Lw6bYs0VkNc4ZtXr2QdPm8hJfGa1Ue7o',
  totp: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  passkey: {
    row: '5b0e3f18-7c2d-4e6a-9f41-8d3c2b1a0f9e',
    challenge: 'mT4wQz8KcVr2LxYp6HsNb9JdGfA3Ue7iRoXkE1tW5sM',
    id: 'Yk5cWv8TbQz2LxRp6MsNh9JdGfA',
    newId: 'Hn7dRs2YkVc9XbWq4LtPzM5gJfA',
    madeClientData: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
    attestation: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg',
    usedClientData: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MF',
    signature: 'MEUCIQDm3Vn8RtYpWz2LxKq6BsHc9dJfGa5Ue3oXi1Tw',
    userHandle: 'bGludXgtaGFuZGxl',
  },
  recovery: ['kf3m-x9pa-t2wz-h7cn', 'b8dy-q4re-n6vj-s3gk'],
  /**
   * An app with this secret shows these codes: one for signing in, three for a signed-in person.
   */
  code: '492039',
  ownCodes: ['730551', '118427', '906312'],
};
