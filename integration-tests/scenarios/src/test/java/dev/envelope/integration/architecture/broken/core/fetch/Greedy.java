package dev.envelope.integration.architecture.broken.core.fetch;

/** A class that asks for too much and remembers all of it. */
public final class Greedy {

    int first;
    int second;
    int third;
    int fourth;
    int fifth;
    int sixth;
    int seventh;
    int eighth;

    Greedy(
            int first,
            int second,
            int third,
            int fourth,
            int fifth,
            int sixth,
            int seventh,
            int eighth) {
        this.first = first;
        this.second = second;
        this.third = third;
        this.fourth = fourth;
        this.fifth = fifth;
        this.sixth = sixth;
        this.seventh = seventh;
        this.eighth = eighth;
    }
}
